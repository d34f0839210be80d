import { type BrowserContextOptions, type Page } from 'playwright-core';
import { CHROMIUM, openChromium } from '../../bench/studio/chromium';

export { openChromium };

/** A page that never shows what a test waits for ends that test. */
const LIMIT_MS = 180_000;

/** Tests in a browser. Left out, with the reason in their name, on a machine without Chromium. */
export function describeInChromium(name: string, tests: () => void): void {
  if (CHROMIUM === undefined) describe.skip(`${name}, left out since there is no chromium on PATH`, tests);
  else {
    jest.setTimeout(LIMIT_MS);
    describe(name, tests);
  }
}

/** Opens an address in a Chromium of its own, calls `look` when the page has loaded, and then ends Chromium. */
export async function inChromium<T>(
  address: string,
  look: (page: Page) => Promise<T>,
  options: BrowserContextOptions = {},
): Promise<T> {
  const browser = await openChromium();
  try {
    const page = await browser.newPage(options);
    await page.goto(address);
    return await look(page);
  } finally {
    await browser.close();
  }
}
