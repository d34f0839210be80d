/** Host names of this machine's loopback interface, with an optional port. */
const LOCAL_HOST = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?$/i;

/**
 * Whether a request's Host header names this machine.
 *
 * The owner of a web page can make the page's host name resolve to 127.0.0.1. The page then has the same origin as the
 * local server, but its requests still have the page's host name in the Host header.
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOCAL_HOST.test(host);
}
