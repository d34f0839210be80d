import { type Studio } from '../server/studio';

/** A version that needs several calls to Temporal is read no more often than this. */
const MAX_AGE_MS = 2_000;

interface ReadVersion {
  readonly atMs: number;
  readonly version: Promise<string>;
}

const cache = new WeakMap<Studio, Map<string, ReadVersion>>();

/** The version of a page, at most two seconds old. All open tabs share it. @param page a path, or another key. */
export function recentVersion(studio: Studio, page: string, read: () => Promise<string>): Promise<string> {
  const versions = cache.get(studio) ?? new Map<string, ReadVersion>();
  cache.set(studio, versions);
  const last = versions.get(page);
  if (last !== undefined && Date.now() - last.atMs < MAX_AGE_MS) return last.version;
  const version = read();
  versions.set(page, { atMs: Date.now(), version });
  return version;
}
