import { lookup } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DownloadError } from './download-error';
import { type Redact } from './redaction';

/** IPv6 global unicast. ipaddr.js also calls some addresses `unicast` that are not public, such as `::7f00:1`. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** The rules for addresses that Dailies may connect to, and the error for all other addresses. */
export interface AddressGuard {
  /** Hosts, `host` or `host:port`, that may be in a private range. */
  readonly allowedHosts: readonly string[];
  /** The environment variable in which a person lists these hosts. */
  readonly variable: string;
  /** @param url null if the address is no URL, or must not be shown. */
  readonly refuse: (url: URL | null, why: string) => Error;
}

/** The guard of downloads. It refuses with DownloadError `refused-address`. */
export function downloadGuard(allowedHosts: readonly string[], redact?: Redact): AddressGuard {
  return {
    allowedHosts,
    variable: 'DAILIES_DOWNLOAD_HOSTS',
    refuse: (url, why) => new DownloadError('refused-address', url, why, redact === undefined ? {} : { redact }),
  };
}

/**
 * Parses and checks an untrusted address, relative to `base` if given.
 *
 * @throws the error of `guard.refuse` if the address is no URL, is not http(s), or contains credentials; also for an IP
 *   address, in any spelling, that is neither public nor listed.
 */
export function checkAddress(address: string, base: URL | undefined, guard: AddressGuard): URL {
  if (!URL.canParse(address, base?.href)) throw guard.refuse(null, 'is refused: it is no URL');
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw guard.refuse(null, `is refused: ${url.protocol.slice(0, 40)} is neither http: nor https:`);
  }
  if (url.username !== '' || url.password !== '') {
    throw guard.refuse(url, 'is refused: its address holds credentials');
  }
  // `URL` has normalized spellings such as 2130706433 and 0x7f.1 to four numbers.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host) && !isListed(url, guard.allowedHosts)) throw refused(url, host, guard);
  return url;
}

/**
 * Makes the DNS look-up for a connection to `url`. The look-up refuses a name with any address outside the public
 * ranges, unless the host is listed.
 *
 * The connection uses the address that was checked. This prevents DNS rebinding.
 */
export function createGuardedLookup(url: URL, guard: AddressGuard): LookupFunction {
  const isAllowed = isListed(url, guard.allowedHosts);
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const forbidden = isAllowed ? undefined : addresses.find(({ address }) => !isPublic(address));
      const [first] = addresses;
      if (forbidden !== undefined) callback(refused(url, forbidden.address, guard), '');
      else if (options.all === true || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** True if an IP address is on the public internet. */
export function isPublic(address: string): boolean {
  // `ipaddr.process` converts an IPv4-mapped IPv6 address to IPv4.
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6);
}

/**
 * True if others on the network can read what is sent to an address: the address is http, and neither on this machine
 * nor on a listed host.
 */
export function isReadableByOthers(address: string, allowedHosts: readonly string[]): boolean {
  const url = new URL(address);
  if (url.protocol !== 'http:' || isListed(url, allowedHosts)) return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return !/^(.+\.)?localhost\.?$/.test(host);
  // The unspecified address connects to this machine.
  return !['loopback', 'unspecified'].includes(ipaddr.process(host).range());
}

/** Host and port of an address as an entry for a list of allowed hosts. An entry without a port allows all ports. */
export function hostAndPort(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

/** True if the list has the host, alone or with its port. */
function isListed(url: URL, allowedHosts: readonly string[]): boolean {
  return allowedHosts.map(canonicalHost).some((host) => host === url.hostname || host === hostAndPort(url.href));
}

function canonicalHost(entry: string): string {
  if (isIPv6(entry)) return canonicalHost(`[${entry}]`);
  const [, name = entry, port = ''] = /^(.*?)(:\d+)?$/.exec(entry) ?? [];
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname + port : entry;
}

function refused(url: URL, address: string, { refuse, variable }: AddressGuard): Error {
  return refuse(url, `is refused: ${address} is no public address. List the host in ${variable} to allow it`);
}
