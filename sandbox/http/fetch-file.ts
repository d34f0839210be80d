import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { writeFile } from 'node:fs/promises';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';

const MAX_FILE_BYTES = 256 * 1024 * 1024;

const FETCH_LIMIT_MS = 30_000;

/** Networks that callers may not reach through the sandbox. Loopback is allowed, because tests serve files from it. */
const PRIVATE_NETWORKS = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE_NETWORKS.addSubnet(network, bits, 'ipv4');
}
PRIVATE_NETWORKS.addSubnet('fc00::', 7, 'ipv6');
PRIVATE_NETWORKS.addSubnet('fe80::', 10, 'ipv6');

/** A file that a request names cannot be used. The request is refused or, after acceptance, the task fails. */
export class FileUnusable extends Error {
  override readonly name = 'FileUnusable';
}

/** Parses an http(s) address; undefined for anything else. */
export function parseAddress(value: string): URL | undefined {
  if (!/^https?:\/\//i.test(value)) return undefined;
  return URL.canParse(value) ? new URL(value) : undefined;
}

/**
 * Fetches a file into a folder and returns its path.
 *
 * @throws FileUnusable if the file cannot be read, is too large, or is in a private network; the reason of `signal` if
 *   it is aborted.
 */
export async function fetchFile(value: string, folder: string, signal: AbortSignal): Promise<string> {
  const address = parseAddress(value);
  if (!address) throw new FileUnusable(`${value} is not an http(s) address.`);
  await refusePrivate(address);
  const bytes = await fetchBytes(address, signal);
  const path = join(folder, createHash('sha256').update(bytes).digest('hex'));
  await writeFile(path, bytes);
  return path;
}

async function refusePrivate(address: URL): Promise<void> {
  const host = address.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host)
    ? [{ address: host, family: isIP(host) }]
    : await lookup(host, { all: true }).catch(() => []);
  if (addresses.length === 0) throw new FileUnusable(`No host ${host} was found.`);
  const refused = addresses.find((ip) => PRIVATE_NETWORKS.check(ip.address, ip.family === 6 ? 'ipv6' : 'ipv4'));
  if (refused) throw new FileUnusable(`${address.href} is in a private network.`);
}

async function fetchBytes(address: URL, signal: AbortSignal): Promise<Buffer> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(FETCH_LIMIT_MS)]);
  try {
    // A redirect could lead to a private network.
    const response = await fetch(address, { redirect: 'error', signal: limited });
    if (!response.ok || !response.body) throw new FileUnusable(`${address.href} answers ${response.status}.`);
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > MAX_FILE_BYTES) throw new FileUnusable(`${address.href} is larger than ${MAX_FILE_BYTES} bytes.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FileUnusable) throw error;
    throw new FileUnusable(
      `${address.href} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}
