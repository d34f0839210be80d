import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Context } from 'hono';

/** Folder of the style sheets and compiled scripts in the build. */
export const BROWSER_FOLDER = join(__dirname, '..', 'browser');

interface StaticFile {
  readonly path: (folder: string) => string;
  readonly type: string;
}

/** Files of dependencies by the names under which they are served. */
const DEPENDENCY_FILES = new Map<string, StaticFile>([
  ['idiomorph.js', { path: () => require.resolve('idiomorph/dist/idiomorph.esm.js'), type: 'text/javascript' }],
  ['manrope-400.ttf', { path: () => manrope('400Regular/Manrope_400Regular.ttf'), type: 'font/ttf' }],
  ['manrope-600.ttf', { path: () => manrope('600SemiBold/Manrope_600SemiBold.ttf'), type: 'font/ttf' }],
]);

/** Names of the studio's own files: style sheets, icon and compiled scripts. */
const OWN_NAME = /^[a-z][a-z-]*\.(css|js|svg)$/;

const OWN_TYPES: Readonly<Record<string, string>> = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };

export async function serveFile(c: Context, folder: string): Promise<Response> {
  const file = fileNamed(c.req.param('name') ?? '');
  const body = file === undefined ? undefined : await readFile(file.path(folder)).catch(() => undefined);
  if (file === undefined || body === undefined) return c.text('There is no such file.\n', 404);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  // `no-cache`: browsers ask again at every load, since another version of Dailies may have other files.
  const headers = { 'cache-control': 'no-cache', etag };
  if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
  const type = file.type.startsWith('text/') ? `${file.type}; charset=utf-8` : file.type;
  return c.body(new Uint8Array(body), 200, { ...headers, 'content-type': type });
}

function fileNamed(name: string): StaticFile | undefined {
  const type = OWN_TYPES[OWN_NAME.exec(name)?.[1] ?? ''];
  return (
    DEPENDENCY_FILES.get(name) ?? (type === undefined ? undefined : { path: (folder) => join(folder, name), type })
  );
}

function manrope(file: string): string {
  return require.resolve(`@expo-google-fonts/manrope/${file}`);
}
