import { SECRETS, STUDIO_TOKEN, type StudioRig } from '../support/studio-rig';
import { type Answer, ask, type Ask, fieldsOf } from './raw-http';

/** Asks the studio over raw HTTP. No answer may have a secret, and none may be open to other origins. */
export interface Visitor {
  readonly origin: string;
  /** The cookie of a browser that was opened with the token. */
  readonly cookie: string;
  /** Sends exactly this. */
  send(request: Ask): Promise<Answer>;
  /** As the person's browser asks for a page. */
  get(path: string, headers?: Ask['headers']): Promise<Answer>;
  /** As the person's browser sends a form, and opens the page that answers it. */
  post(path: string, fields: Readonly<Record<string, string>>, headers?: Ask['headers']): Promise<Answer>;
  /** The fields of a form that is on a page. */
  form(page: string, path: string): Promise<Record<string, string>>;
}

/** Headers that each answer has, whatever it is. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
};

/** @param token the studio's own, if it is not the rig's. */
export async function visitorOf(
  { studio: { port } }: Pick<StudioRig, 'studio'>,
  token = STUDIO_TOKEN,
): Promise<Visitor> {
  const host = `127.0.0.1:${port}`;
  const origin = `http://${host}`;
  async function send(request: Ask): Promise<Answer> {
    const answer = await ask(port, request);
    const all = `${JSON.stringify(answer.headers)}\n${answer.body}`;
    for (const secret of [...SECRETS, token]) expect(all).not.toContain(secret);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    // Node's own parser refuses some requests before the studio sees them.
    if (![400, 431].includes(answer.status)) expect(answer.headers).toMatchObject(ALWAYS);
    return answer;
  }
  const entered = await send({ path: `/?token=${token}`, headers: { host } });
  const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const visitor: Visitor = {
    origin,
    cookie,
    send,
    get: (path, headers) => send({ path, headers: { host, cookie, ...headers } }),
    async post(path, fields, headers) {
      const answer = await send({
        method: 'POST',
        path,
        headers: { host, cookie, origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      });
      const { location } = answer.headers;
      // A page that answers a form has an address of its own.
      return location?.startsWith('/answers/') === true ? visitor.get(location) : answer;
    },
    form: async (page, path) => fieldsOf((await visitor.get(page)).body, path),
  };
  return visitor;
}
