import { type Studio } from '../server/studio';

/** Default of `maxAgeMs`. Reading a version may need several calls to Temporal. */
const MAX_AGE_MS = 2_000;

interface ReadVersion {
  /** Time at which reading the version ended or failed; undefined until then. */
  readAtMs: number | undefined;
  readonly version: Promise<string>;
}

const cache = new WeakMap<Studio, Map<string, ReadVersion>>();

/**
 * The version of a page, shared by all open tabs.
 *
 * @param page a path, or another key.
 * @param maxAgeMs maximum age of a shared version, in milliseconds since it was read.
 */
export function recentVersion(
  studio: Studio,
  page: string,
  read: () => Promise<string>,
  maxAgeMs = MAX_AGE_MS,
): Promise<string> {
  const versions = cache.get(studio) ?? new Map<string, ReadVersion>();
  cache.set(studio, versions);
  const last = versions.get(page);
  if (last !== undefined && (last.readAtMs === undefined || Date.now() - last.readAtMs < maxAgeMs)) return last.version;
  const next: ReadVersion = { readAtMs: undefined, version: read() };
  versions.set(page, next);
  const noteTime = (): void => {
    next.readAtMs = Date.now();
  };
  next.version.then(noteTime, noteTime);
  return next.version;
}
