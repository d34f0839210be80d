import { isIP } from 'node:net';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Context, type MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { isLocalHost } from '../../contracts/local-host';

/** Headers of every response. Styles and scripts come from files of the studio only. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With no-referrer, browsers would send `Origin: null` with the studio's own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export interface Guard {
  /** Refuses requests to other hosts, from other origins, and from browsers that were not opened with the token. */
  readonly middleware: MiddlewareHandler;
  /** Path and query of the address to open first. */
  readonly entrance: string;
}

export interface GuardOptions {
  readonly port: () => number;
  /**
   * The host that the server listens on. The guard accepts requests to this host, to 127.0.0.1, to [::1] and to
   * localhost. If the host is 0.0.0.0 or ::, the guard also accepts requests to every IP address.
   */
  readonly listensOn: string;
  /** Default: a random token. */
  readonly token?: string | undefined;
}

/**
 * Admits only browsers that were opened with the token.
 *
 * The token is necessary because other users of this machine can reach the port. Web pages can also reach the port, for
 * example by DNS rebinding.
 */
export function createGuard({ port, listensOn, token = randomBytes(24).toString('base64url') }: GuardOptions): Guard {
  const session = randomBytes(24).toString('base64url');
  const cookieName = (): string => `dailies-studio-${port()}`;

  function refusalOf(c: Context): string | undefined {
    const host = c.req.header('host');
    if (!isOwnHost(host, port(), listensOn))
      return 'The studio does not answer to this host name. Use the address that it printed.';
    const origin = c.req.header('origin');
    const isChange = c.req.method !== 'GET' && c.req.method !== 'HEAD';
    const isForeign = origin !== undefined && origin !== `http://${host ?? ''}`;
    if (isForeign || isEmbedded(c) || (isChange && origin === undefined))
      return 'The studio does not answer pages of other origins.';
    return undefined;
  }

  return {
    entrance: `/?token=${token}`,
    middleware: async (c, next) => {
      // Set the headers on `c.res`, so that responses that the context did not create have them too.
      for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
      const refusal = refusalOf(c);
      if (refusal !== undefined) return c.html(refused('Not answered', refusal), 403);
      const given = c.req.query('token');
      if (c.req.method === 'GET' && c.req.path === '/' && given !== undefined && isEqual(given, token)) {
        setCookie(c, cookieName(), session, { httpOnly: true, sameSite: 'Strict', path: '/' });
        c.header('cache-control', 'no-store');
        // Answer with a page instead of a redirect: if a link on another site led here, browsers would follow the
        // redirect without the strict cookie.
        return c.html(ENTERED);
      }
      if (!isEqual(getCookie(c, cookieName()) ?? '', session)) return c.html(NOT_OPENED, 401);
      await next();
      return undefined;
    },
  };
}

const ENTERED =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Dailies</title><link rel="icon" href="/studio/icon.svg">' +
  '<meta http-equiv="refresh" content="0;url=/"><p><a href="/">Open the studio</a></p></html>';

const NOT_OPENED = refused(
  'Open the studio from its terminal',
  'Use the address that <code>dailies studio</code> has printed. If the studio was restarted, it has printed a new one.',
);

/** A page without a style sheet, because the studio's files need the cookie too. */
function refused(title: string, words: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="dark light">' +
    `<title>${title} · Dailies</title></head><body><main><h1>${title}</h1><p>${words}</p></main></body></html>\n`
  );
}

/**
 * Whether a page of another origin embeds the response, for example as a picture, frame or script.
 *
 * Pages at other ports of this machine belong to the same site. So the browser sends the cookie with their requests,
 * and may send no Origin. Links from any page are allowed.
 */
function isEmbedded(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== 'same-site' && site !== 'cross-site') return false;
  return c.req.header('sec-fetch-dest') !== 'document';
}

function isOwnHost(host: string | undefined, port: number, listensOn: string): boolean {
  if (host === undefined) return false;
  const [, hostName = host, portInHost = '80'] = /^(.*):(\d{1,5})$/.exec(host) ?? [];
  if (Number(portInHost) !== port) return false;
  const name = hostName.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return (
    isLocalHost(hostName) || name === listensOn.toLowerCase() || (isWildcardAddress(listensOn) && isIP(name) !== 0)
  );
}

/**
 * Whether this host means all addresses of the machine. The guard then accepts every IP address in the Host header,
 * because DNS rebinding needs a name.
 */
export function isWildcardAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Compares in constant time. */
function isEqual(one: string, other: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
