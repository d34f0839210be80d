import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Chromium on PATH, for example from Debian's package `chromium`; undefined if there is none. */
export const CHROMIUM = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
  .find(isExecutable);

/** Starts a headless Chromium, which the caller closes. @throws Error if there is no Chromium on PATH. */
export async function openChromium(args: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === undefined)
    throw new Error('there is no Chromium on PATH (chromium, chromium-browser or google-chrome)');
  // Containers lack the namespaces that Chromium's sandbox needs, and have a small /dev/shm.
  const own = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  return chromium.launch({ executablePath: CHROMIUM, args: [...own, ...args] });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
