import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { unescaped } from '../support/unescaped';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Ask {
  readonly method?: string;
  /** As it is sent: nothing is encoded or resolved. */
  readonly path: string;
  /** Undefined leaves a header out, also Host. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
}

/** One request, with nothing added or corrected. */
export async function ask(port: number, { method = 'GET', path, headers = {}, body = '' }: Ask): Promise<Answer> {
  const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    setHost: false,
    headers: {
      ...(method === 'GET' || body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...(Object.fromEntries(given) as Record<string, string>),
    },
    agent: false,
  });
  // A server that has answered may close while the body is still being sent.
  const answered = once(outgoing, 'response');
  outgoing.end(body);
  const [incoming] = (await answered) as [IncomingMessage];
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: await text(incoming) };
}

/** The fields of a page's form that posts to the path, as a browser would send them. @throws Error if there is none. */
export function fieldsOf(page: string, path: string): Record<string, string> {
  const form = page.split('<form ').find((one) => one.includes(`action="${path}"`));
  if (form === undefined) throw new Error(`the page has no form for ${path}: ${page}`);
  const inside = form.slice(0, form.indexOf('</form>'));
  const inputs = [...inside.matchAll(/<input\s[^>]*>/g)].map(([input]) => [
    attribute(input, 'name'),
    attribute(input, 'value'),
  ]);
  const areas = [...inside.matchAll(/<textarea name="([^"]*)"[^>]*>([^<]*)<\/textarea>/g)].map(
    ([, name = '', value = '']) => [name, unescaped(value)],
  );
  return Object.fromEntries([...inputs, ...areas]) as Record<string, string>;
}

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}
