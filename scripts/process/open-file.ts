import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { surroundings } from './surroundings';

/** The command that opens a file in its default program, by `process.platform`. Other platforms have `xdg-open`. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };

/** Variables that name a display. Without a display, `xdg-open` would start a text browser in the terminal. */
const DISPLAYS = ['DISPLAY', 'WAYLAND_DISPLAY'];

/** Variables that hold secrets. */
const SECRETS = ['DAILIES_GATEWAY_KEY', 'DAILIES_NOTIFY_SECRET'];

/**
 * Opens a file in its default program. The program does not get the secrets of the environment.
 *
 * @param path absolute, so that the opener cannot take the path for an option. No shell interprets the path.
 * @param onFailure called if the opener cannot be started.
 */
export function openFile(path: string, onFailure: () => void = () => undefined): void {
  const { env, cwd } = surroundings();
  const opener = openerOn(process.platform, env);
  if (opener === undefined) {
    onFailure();
    return;
  }
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.includes(name)));
  const child = spawn(opener, [path], { cwd, stdio: 'ignore', detached: true, env: passed });
  child.on('error', onFailure);
  child.unref();
}

export function canOpenFiles(): boolean {
  return openerOn(process.platform, surroundings().env) !== undefined;
}

/** The command that opens files. Undefined if the platform needs `xdg-open` and a display, and one is missing. */
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
