import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { surroundings } from '../surroundings';

/** What opens a file with the program that a person has chosen for it, by `process.platform`; others have `xdg-open`. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };

/** Without a display `xdg-open` would start a browser for the terminal, in the midst of the questions. */
const DISPLAYS = ['DISPLAY', 'WAYLAND_DISPLAY'];

/**
 * Opens a file in the platform's own program, if there is one. Whether it can show the file is the person's to see.
 *
 * @param path absolute, so that no opener takes it for an option. No shell reads it.
 */
export function openFile(path: string): void {
  const { env, cwd } = surroundings();
  const opener = openerOn(process.platform, env);
  if (opener === undefined) return;
  const child = spawn(opener, [path], { cwd, stdio: 'ignore', detached: true, env: { ...env } });
  child.on('error', () => undefined);
  child.unref();
}

/** The program that opens files; undefined if there is none, or no display. */
export function openerOn(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const known = OPENERS[platform];
  if (known !== undefined) return known;
  if (!DISPLAYS.some((name) => (env[name] ?? '') !== '')) return undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'xdg-open')).find((file) => existsSync(file));
}
