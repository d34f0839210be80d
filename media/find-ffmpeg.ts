import { execFile, type ExecFileException } from 'node:child_process';
import { promisify } from 'node:util';
import { bareEnvironment } from './confined';

const execute = promisify(execFile);

/** Time in which ffmpeg must describe itself, in milliseconds. A loaded machine needs a second or two. */
const DESCRIBE_TIMEOUT_MS = 30_000;

/** Every browser plays the output of these encoders. Some distributions build ffmpeg without libx264. */
const NEEDED_ENCODERS = ['libx264', 'aac'];

const INSTALL_HINT =
  'Install ffmpeg (apt install ffmpeg, brew install ffmpeg), name one in FFMPEG_PATH, or run npm install with optional dependencies.';

/** Major version of libavcodec in ffmpeg 5. Older branches get no more fixes. */
const MAINTAINED_LIBAVCODEC = 59;

export interface Ffmpeg {
  /** The program to start; a bare name if it is found on PATH. */
  readonly path: string;
  readonly version: string;
  /** Everything that `ffmpeg -version` prints: version, options, libraries. */
  readonly build: string;
  readonly filters: ReadonlySet<string>;
  readonly source: 'configured' | 'path' | 'installer';
}

/** No ffmpeg is suitable. The message names what was tried and what to install. */
export class FfmpegMissingError extends Error {
  override readonly name = 'FfmpegMissingError';
  readonly hint = INSTALL_HINT;

  constructor(found: string) {
    super(`${found} ${INSTALL_HINT}`);
  }
}

/** Why this ffmpeg is not safe for untrusted clips; undefined if it is new enough, or if its age is unknown. */
export function ageWarning({ build }: Ffmpeg): string | undefined {
  const libavcodec = Number(/^libavcodec +(\d+)/m.exec(build)?.[1] ?? MAINTAINED_LIBAVCODEC);
  if (libavcodec >= MAINTAINED_LIBAVCODEC) return undefined;
  return 'older than ffmpeg 5, and gets no more security fixes: install a current one (apt install ffmpeg, brew install ffmpeg) or name one in FFMPEG_PATH';
}

type Description = Pick<Ffmpeg, 'version' | 'build' | 'filters'>;

const descriptions = new Map<string, Promise<Description>>();

/**
 * Finds ffmpeg: the given path, else PATH, else the optional package @ffmpeg-installer/ffmpeg.
 *
 * Each path is queried once per process, and again after a failure.
 *
 * @throws FfmpegMissingError if none works. If a path is given, no other place is tried.
 */
export async function findFfmpeg({ ffmpegPath }: { readonly ffmpegPath?: string | undefined } = {}): Promise<Ffmpeg> {
  if (ffmpegPath !== undefined) return describeAs('configured', ffmpegPath);

  const failures: string[] = [];
  for (const [source, path] of [
    ['path', 'ffmpeg'],
    ['installer', await installedPath()],
  ] as const) {
    if (path === undefined) continue;
    try {
      return await describeAs(source, path);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new FfmpegMissingError(failures.join(' '));
}

async function describeAs(source: Ffmpeg['source'], path: string): Promise<Ffmpeg> {
  const known = descriptions.get(path) ?? describe(path);
  descriptions.set(path, known);
  try {
    return { path, source, ...(await known) };
  } catch (error) {
    // Forget the failure, since ffmpeg may be installed while this process runs.
    descriptions.delete(path);
    if (source !== 'configured') throw error;
    throw new FfmpegMissingError(error instanceof Error ? error.message : String(error));
  }
}

async function describe(path: string): Promise<Description> {
  const [build = '', filters, encoders] = await Promise.all(
    ['-version', '-filters', '-encoders'].map((question) => query(path, question)),
  );
  const known = names(encoders ?? '');
  const missing = NEEDED_ENCODERS.filter((encoder) => !known.has(encoder));
  if (missing.length > 0) throw new Error(`ffmpeg at "${path}" has no encoder ${missing.join(' and ')}.`);
  const version = /^ffmpeg version (\S+)/.exec(build)?.[1] ?? 'unknown';
  return { version, build, filters: names(filters ?? '') };
}

async function query(path: string, question: string): Promise<string> {
  try {
    const { stdout } = await execute(path, ['-hide_banner', question], {
      timeout: DESCRIBE_TIMEOUT_MS,
      env: bareEnvironment(),
    });
    return stdout;
  } catch (error) {
    const { code, killed, signal } = error as Partial<ExecFileException>;
    if (code === 'ENOENT') throw new Error(`No ffmpeg at "${path}".`);
    const why =
      killed === true ? `no answer within ${DESCRIBE_TIMEOUT_MS / 1000} s` : String(code ?? signal ?? 'no answer');
    throw new Error(`ffmpeg at "${path}" does not run (${why}).`);
  }
}

/** The names in one of ffmpeg's listings, whose lines look like ` T.C name  what it does`. */
function names(listing: string): ReadonlySet<string> {
  return new Set([...listing.matchAll(/^ [A-Z.|]+ +(\w+) /gm)].map((line) => line[1] ?? ''));
}

async function installedPath(): Promise<string | undefined> {
  try {
    return (await import('@ffmpeg-installer/ffmpeg')).default.path;
  } catch {
    // The package was not installed, or has no build for this platform.
    return undefined;
  }
}
