import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Context } from 'hono';

/** Folder of the style sheets and compiled scripts in the build. */
export const BROWSER_FOLDER = join(__dirname, '..', 'browser');

interface StaticFile {
  /** The paths whose contents are sent one after another, as one file. */
  readonly paths: (folder: string) => readonly string[];
  readonly type: string;
}

/**
 * The parts of the style sheet, in order. A browser paints a page only once it has the style sheet, so the parts
 * are sent in one response.
 */
const STYLES = ['base', 'film', 'playback', 'forms', 'lists', 'editor'];

/** Served files that the browser folder does not have: the joined style sheet, and files of npm packages. */
const OTHER_FILES = new Map<string, StaticFile>([
  ['studio.css', { paths: (folder) => STYLES.map((name) => join(folder, `${name}.css`)), type: 'text/css' }],
  ['idiomorph.js', { paths: () => [require.resolve('idiomorph/dist/idiomorph.esm.js')], type: 'text/javascript' }],
  ['manrope-400.ttf', { paths: () => [manrope('400Regular/Manrope_400Regular.ttf')], type: 'font/ttf' }],
  ['manrope-600.ttf', { paths: () => [manrope('600SemiBold/Manrope_600SemiBold.ttf')], type: 'font/ttf' }],
]);

/** Names of the studio's own files: style sheets, icon and compiled scripts. */
const OWN_NAME = /^[a-z][a-z-]*\.(css|js|svg)$/;

const OWN_TYPES: Readonly<Record<string, string>> = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };

/** A file as it is sent. */
interface SentFile {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

/** Serves the style sheet, scripts, icon and fonts. Each file is read and compressed once, at its first request. */
export function createStaticFiles(folder: string): (c: Context) => Promise<Response> {
  const read = new Map<string, SentFile>();
  return async (c) => {
    const name = c.req.param('name') ?? '';
    const file = read.get(name) ?? (await readStaticFile(folder, name));
    if (file === undefined) return c.text('There is no such file.\n', 404);
    read.set(name, file);
    // `no-cache` makes browsers ask again at every load, since another version of Dailies may have other files.
    const headers = { 'cache-control': 'no-cache', etag: file.etag, vary: 'Accept-Encoding' };
    if (c.req.header('if-none-match') === file.etag) return c.body(null, 304, headers);
    if (!/\bgzip\b/.test(c.req.header('accept-encoding') ?? ''))
      return c.body(file.plain, 200, { ...headers, 'content-type': file.type });
    return c.body(file.gzip, 200, { ...headers, 'content-type': file.type, 'content-encoding': 'gzip' });
  };
}

/** Reads and compresses a file; undefined if there is no such file. */
async function readStaticFile(folder: string, name: string): Promise<SentFile | undefined> {
  const file = fileNamed(name);
  if (file === undefined) return undefined;
  const bytes = await Promise.all(file.paths(folder).map((path) => readFile(path))).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const plain = Buffer.concat(bytes);
  return {
    plain,
    gzip: gzipSync(plain),
    type: file.type.startsWith('text/') ? `${file.type}; charset=utf-8` : file.type,
    etag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
  };
}

function fileNamed(name: string): StaticFile | undefined {
  const type = OWN_TYPES[OWN_NAME.exec(name)?.[1] ?? ''];
  return OTHER_FILES.get(name) ?? (type === undefined ? undefined : { paths: (folder) => [join(folder, name)], type });
}

function manrope(file: string): string {
  return require.resolve(`@expo-google-fonts/manrope/${file}`);
}
