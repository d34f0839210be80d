import { type Dailies } from '../../client/programs';
import { createApp } from '../../studio/server/app';
import { createGuard } from '../../studio/server/guard';
import { type Section } from '../../studio/server/page';
import { type Studio } from '../../studio/server/studio';
import { OWN_ACCOUNT } from './batch-records';
import { unescaped } from './unescaped';

/** A studio's pages without a server, over the parts of a client that they use. */
export interface Visit {
  get(path: string): Promise<Visited>;
  /** Sends the form of a page that posts to this path, with its hidden fields and these. */
  send(page: Visited, path: string, fields?: Readonly<Record<string, string>>): Promise<Visited>;
  readonly errors: readonly Error[];
}

export interface Visited {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const PORT = 4711;
const HOST = `localhost:${PORT}`;

export function visit(sections: readonly Section[], dailies: object, changes: Partial<Studio> = {}): Visit {
  const errors: Error[] = [];
  const temporal = { withDeadline: (_deadline: number, ask: () => unknown) => ask() };
  const config = { account: OWN_ACCOUNT, storeFolder: '/store', fileValues: 'auto', dataUriMaxBytes: 1_000 } as const;
  const studio: Studio = {
    // The parts that a test needs.
    dailies: { temporal, closedGates: () => Promise.resolve([]), ...dailies } as unknown as Dailies,
    ...{ account: OWN_ACCOUNT, config, workingFolder: '/work', temporalUi: null, isSandbox: true },
    quotes: () => () => Promise.reject(new Error('no prices')),
    hasWorker: () => Promise.resolve(true),
    ...changes,
  };
  const guard = createGuard({ port: () => PORT, listensOn: '127.0.0.1', token: 'token-of-the-test' });
  const app = createApp({ studio, guard, sections, onError: (error) => errors.push(error) });
  let cookie: string | undefined;

  async function ask(path: string, init: RequestInit = {}): Promise<Visited> {
    if (cookie === undefined) {
      const entered = await app.request(guard.entrance, { headers: { host: HOST } });
      cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    }
    const headers = { host: HOST, cookie, origin: `http://${HOST}` };
    const answer = await app.request(path, { ...init, headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
  return {
    errors,
    get: (path) => ask(path),
    async send(page, path, fields = {}) {
      const body = new FormData();
      const form = page.text.split('<form').find((one) => one.includes(`action="${path}"`)) ?? '';
      for (const [, name = '', value = ''] of form.matchAll(/name="(\w+)"\s+value="([^"]*)"/g)) {
        body.set(name, unescaped(value));
      }
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const answer = await ask(path, { method: 'POST', body });
      const next = answer.headers.get('location');
      return next === null ? answer : ask(next);
    },
  };
}
