import { lookup } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DownloadError } from './download-error';
import { type Redact } from './redaction';

/** Global unicast of IPv6; all else is special, as `::127.0.0.1`, which the table of ranges does not know. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Which addresses are connected to, and how it is said that one is not. */
export interface AddressGuard {
  /** Hosts, `host` or `host:port`, that may be in a private range. */
  readonly allowedHosts: readonly string[];
  /** The variable by which a person lists them. */
  readonly variable: string;
  /** @param url null where it must not be shown, or is none. */
  readonly refuse: (url: URL | null, why: string) => Error;
}

/** The guard of downloads. Its refusals are DownloadErrors, `refused-address`. */
export function downloadGuard(allowedHosts: readonly string[], redact?: Redact): AddressGuard {
  return {
    allowedHosts,
    variable: 'DAILIES_DOWNLOAD_HOSTS',
    refuse: (url, why) => new DownloadError('refused-address', url, why, redact === undefined ? {} : { redact }),
  };
}

/**
 * Reads an address that came from outside.
 *
 * @throws what the guard refuses with: another scheme, credentials in it, and an IP address outside the public ranges, in
 * whatever spelling, unless its host is listed.
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
  // URL has turned 2130706433, 0x7f.1 and their like into four numbers.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host) && !isListed(url, guard.allowedHosts)) throw refused(url, host, guard);
  return url;
}

/**
 * Makes the look-up that a connection to `url` uses: it refuses names that lead to addresses outside the public ranges.
 *
 * The address that is checked is the one that is connected to, so a name that changes in between gains nothing.
 */
export function createGuardedLookup(url: URL, guard: AddressGuard): LookupFunction {
  const isAllowed = isListed(url, guard.allowedHosts);
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const hidden = isAllowed ? undefined : addresses.find(({ address }) => !isPublic(address));
      const [first] = addresses;
      if (hidden !== undefined) callback(refused(url, hidden.address, guard), '');
      else if (options.all === true || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Whether an IP address is one of the public internet. */
export function isPublic(address: string): boolean {
  // `process` reads an IPv4 address inside IPv6 as the IPv4 address that it is.
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6);
}

/**
 * Whether others on the network can read what is sent to an address: it is http, and neither of this machine nor of a
 * host that a person has listed.
 */
export function isReadableByOthers(address: string, allowedHosts: readonly string[]): boolean {
  const url = new URL(address);
  if (url.protocol !== 'http:' || isListed(url, allowedHosts)) return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return !/^(.+\.)?localhost\.?$/.test(host);
  // A connection to the unspecified address is one to this machine.
  return !['loopback', 'unspecified'].includes(ipaddr.process(host).range());
}

/** Host and port of an address, for a list of hosts: the host alone would stand for all of its ports. */
export function hostAndPort(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

/** Whether a host stands in the list, by itself or with its port. */
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
