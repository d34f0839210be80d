/** The names by which a program on this machine reaches a server on its loopback interface. */
const LOCAL_HOST = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?$/i;

/**
 * Whether a request's Host header names this machine.
 *
 * A web page can have its own host name resolve to 127.0.0.1, and is then of the same origin as the server that answers
 * there. The Host header still holds the page's own name.
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOCAL_HOST.test(host);
}
