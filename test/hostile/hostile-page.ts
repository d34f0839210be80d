import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openChromium } from '../support/chromium';

/** Placeholder in a body for the way of posting. A form can only send a body that contains it. */
export const WAY = 'THE WAY';

/** What a page posts. */
export interface Post {
  readonly path: string;
  readonly body: string;
}

/** Longer than any successful attack takes; a frame with a port that the browser refuses reports nothing. */
const FRAME_LIMIT_MS = 15_000;

/**
 * Opens a hostile page in Chromium, which posts everything to every port of 127.0.0.1, by fetch, by form and by
 * rebinding; resolves when it has.
 *
 * The browser reaches the page's host names by a proxy of ours. For rebinding the proxy does what a name server does
 * that changes its mind: the page comes from us, and all that it asks its own origin for goes to 127.0.0.1, by the
 * page's host name.
 */
export async function openHostilePage(options: {
  readonly ports: readonly number[];
  readonly posts: readonly Post[];
}): Promise<void> {
  const { ports, posts } = options;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const proxy = createServer((incoming, outgoing) => {
    const { pathname, hostname, port } = new URL(incoming.url ?? '');
    incoming.on('error', () => undefined);
    if (pathname === '/finished') finish();
    if (pathname === '/finished') outgoing.end();
    else if (pathname === '/page') html(outgoing, `<script>${rebindingScript(posts)}</script>`);
    else if (hostname === 'rebound.example') forward(incoming, outgoing, Number(port));
    else html(outgoing, `<body><script>${crossOriginScript(ports, posts)}</script>`);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const browser = await openChromium([
    // Not every browser protects local servers itself, so the test must not rely on it.
    '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
    `--proxy-server=http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  ]);
  try {
    const page = await browser.newPage();
    await page.goto('http://hostile.example/');
    await finished;
  } finally {
    await browser.close();
    proxy.closeAllConnections();
    proxy.close();
  }
}

function html(outgoing: ServerResponse, page: string): void {
  outgoing.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${page}`);
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { pathname, search } = new URL(incoming.url ?? '');
  const { method, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port, method, path: pathname + search, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => {
    if (!outgoing.headersSent) outgoing.writeHead(502);
    outgoing.end();
  });
  void text(incoming).then((body) => onward.end(body));
}

/** Runs in the browser, at http://hostile.example. */
function crossOriginScript(ports: readonly number[], posts: readonly Post[]): string {
  return `
const posts = ${JSON.stringify(posts)};
const frame = (name, src) => new Promise((resolve) => {
  const element = document.createElement('iframe');
  element.name = name;
  if (src) element.src = src;
  element.onload = () => { if (!src) resolve(element); };
  addEventListener('message', ({ source }) => { if (source === element.contentWindow) resolve(element); });
  setTimeout(() => resolve(element), ${FRAME_LIMIT_MS});
  document.body.append(element);
});
const byFetch = (port, { path, body }) => {
  const post = body.replace('${WAY}', 'by fetch');
  const url = 'http://127.0.0.1:' + port + path;
  return Promise.allSettled([
    fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: post }),
    fetch(url, { method: 'POST', credentials: 'include', body: post,
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' } }),
    fetch(url, { method: 'DELETE' }),
  ]);
};
const byForm = async (port, { path, body }, number) => {
  const [before, after] = body.split('${WAY}');
  if (after === undefined) return;
  const target = await frame('form-' + port + '-' + number);
  const form = document.createElement('form');
  Object.assign(form, { method: 'POST', enctype: 'text/plain', action: 'http://127.0.0.1:' + port + path });
  form.target = target.name;
  const field = document.createElement('input');
  // Sent as name=value.
  field.name = before + 'by form';
  field.value = after;
  form.append(field);
  document.body.append(form);
  const answered = new Promise((resolve) => { target.onload = resolve; setTimeout(resolve, 3000); });
  form.submit();
  await answered;
};
(async () => {
  await Promise.all(${JSON.stringify(ports)}.map(async (port) => {
    for (const [number, post] of posts.entries()) {
      await byFetch(port, post);
      await byForm(port, post, number);
    }
    await frame('rebound-' + port, 'http://rebound.example:' + port + '/page');
  }));
  await fetch('/finished', { method: 'POST' });
})();`;
}

/** Runs in the browser, at http://rebound.example and the attacked port: the same origin as its server. */
function rebindingScript(posts: readonly Post[]): string {
  return `
(async () => {
  await fetch('/').then((answer) => answer.text()).catch(() => undefined);
  const token = document.cookie.match(/_csrf=([^;]*)/)?.[1] ?? 'none';
  for (const { path, body } of ${JSON.stringify(posts)}) {
    for (const headers of [{}, { 'x-csrf-token': token }, { authorization: 'Bearer x' }]) {
      const post = body.replace('${WAY}', 'by rebinding');
      await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: post })
        .catch(() => undefined);
    }
    await fetch(path, { method: 'DELETE' }).catch(() => undefined);
  }
  parent.postMessage('done', '*');
})();`;
}
