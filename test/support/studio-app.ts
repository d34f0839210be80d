import { type Dailies, dailiesOver } from '../../client/programs/dailies';
import { editing } from '../../studio/pages/file/edit';
import { newProduction } from '../../studio/pages/file/new';
import { production } from '../../studio/pages/film/production';
import { shot } from '../../studio/pages/film/shot';
import { review } from '../../studio/pages/review';
import { createApp } from '../../studio/server/app';
import { createGuard } from '../../studio/server/guard';
import { type Rig } from './rig';
import { unescaped } from './unescaped';

const PORT = 4711;
const HOST = `127.0.0.1:${PORT}`;
const ORIGIN = `http://${HOST}`;

/** An answer of the studio. */
export interface Answer {
  readonly status: number;
  /** Path that it leads to; null if it is a page. */
  readonly to: string | null;
  readonly body: string;
}

/** The studio's pages without a server, as a browser that was opened with the token uses them. */
export interface StudioApp {
  readonly dailies: Dailies;
  get(path: string): Promise<Answer>;
  /** Sends the form of a page, with these fields in place of its own. @param button the value of the one pressed. */
  submit(page: Answer, path: string, fields?: Readonly<Record<string, string>>, button?: string): Promise<Answer>;
  /** Unexpected errors. */
  readonly errors: Error[];
}

export async function openStudioApp({ temporal, store }: Rig, workingFolder: string): Promise<StudioApp> {
  const config = { account: 'sandbox', storeFolder: store.folder, fileValues: 'auto', dataUriMaxBytes: 2e7 } as const;
  const dailies = dailiesOver({ temporal, store, config, onNotice: () => undefined });
  const guard = createGuard({ port: () => PORT, listensOn: '127.0.0.1' });
  const errors: Error[] = [];
  const app = createApp({
    studio: {
      ...{ dailies, account: config.account, config, workingFolder, temporalUi: null, isSandbox: true },
      quotes: () => store.account(config.account).quotes({}),
      hasWorker: () => Promise.resolve(true),
    },
    guard,
    sections: [newProduction, production, shot, editing, review],
    onError: (error) => errors.push(error),
  });
  const entered = await app.request(guard.entrance, { headers: { host: HOST } });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await app.request(path, { ...init, headers: { host: HOST, cookie, origin: ORIGIN } });
    const to = response.headers.get('location');
    // A page that answers a form has an address of its own.
    if (to?.startsWith('/answers/') === true) return ask(to);
    return { status: response.status, to, body: await response.text() };
  }
  return {
    dailies,
    errors,
    get: (path) => ask(path),
    async submit({ body }, path, fields = {}, button) {
      const form = new FormData();
      const own = {
        ...fieldsOf(body, path, fields['answer']),
        ...fields,
        ...(button === undefined ? {} : { do: button }),
      };
      // A browser sends a line break as CR LF.
      for (const [name, value] of Object.entries(own)) form.set(name, value.replaceAll(/\r?\n/g, '\r\n'));
      return ask(path, { method: 'POST', body: form });
    },
  };
}

/** The fields of the first form of a page that posts to the path, and gives this answer if there is one. */
function fieldsOf(body: string, path: string, answer: string | undefined): Readonly<Record<string, string>> {
  const forms = body.split('<form ').filter((one) => one.includes(`action="${path}"`));
  const read = forms.map((form) => {
    const inputs = [...form.matchAll(/<input[^>]*?\sname="([^"]+)"[^>]*?\svalue="([^"]*)"/gs)];
    const texts = [...form.matchAll(/<textarea[^>]*?\sname="([^"]+)"[^>]*>\n?(.*?)<\/textarea>/gs)];
    return Object.fromEntries([...inputs, ...texts].map(([, name = '', value = '']) => [name, unescaped(value)]));
  });
  return read.find((fields) => fields['answer'] === answer) ?? {};
}
