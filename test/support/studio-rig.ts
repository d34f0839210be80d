import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { type Dailies, dailiesOver } from '../../client/programs/dailies';
import { type SandboxOptions } from '../../sandbox';
import { SANDBOX_PRICES } from '../../sandbox/price-table';
import { type RunningStudio, startStudio } from '../../studio';
import { openChromium } from './chromium';
import { RIG_KEY, type Rig, startRig } from './rig';
import { temporaryFolder } from './temporary-folder';

/** Long enough that it is found in no text by chance. */
export const STUDIO_TOKEN = 'studio-token-that-must-not-be-seen-anywhere';

/** Style and compiled scripts, which only the build makes. */
const BROWSER_FOLDER = join(__dirname, '..', '..', 'dist', 'studio', 'browser');

/** The real studio over a rig. */
export interface StudioRig {
  readonly rig: Rig;
  readonly dailies: Dailies;
  readonly studio: RunningStudio;
  /** The folder that new production files are written to. */
  readonly folder: string;
  /** Unexpected errors, which the studio would write to its terminal, and those of its scripts in the browser. */
  readonly errors: Error[];
  /** Number of tasks that the sandbox has accepted and charged. */
  accepted(): number;
  /** A page in a browser that was opened with the token. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

export async function startStudioRig(options: Partial<SandboxOptions> = {}): Promise<StudioRig> {
  const rig = await startRig(options, { prices: SANDBOX_PRICES });
  const { store, temporal } = rig;
  const folder = await temporaryFolder();
  const config = {
    account: 'sandbox',
    storeFolder: store.folder,
    fileValues: 'auto' as const,
    dataUriMaxBytes: 20_000_000,
    prices: SANDBOX_PRICES,
  };
  const dailies = dailiesOver({ temporal, store, config, onNotice: () => undefined });
  const errors: Error[] = [];
  const studio = await startStudio({
    studio: {
      dailies,
      account: config.account,
      config,
      quotes: () => store.account(config.account).quotes(config.prices),
      hasWorker: () => dailies.client.hasWorker(),
      workingFolder: folder,
      temporalUi: null,
      isSandbox: true,
    },
    token: STUDIO_TOKEN,
    onError: (error) => errors.push(error),
    browserFolder: BROWSER_FOLDER,
  });
  let browser: Promise<Browser> | undefined;
  return {
    rig,
    dailies,
    studio,
    folder,
    errors,
    accepted: () => rig.sandbox.tasks().length,
    async open(path = '/', contextOptions = {}) {
      browser ??= openChromium();
      // A context of its own, in which axe can open its page.
      const page = await (await (await browser).newContext(contextOptions)).newPage();
      page.on('pageerror', (error) => errors.push(error));
      page.on('console', (message) => {
        // A refusal that the person sees is no error.
        if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
          errors.push(new Error(message.text()));
      });
      await page.goto(studio.address);
      // The page that takes the token leads there by itself.
      await page.waitForURL(`http://127.0.0.1:${studio.port}/`);
      if (path !== '/') await page.goto(`http://127.0.0.1:${studio.port}${path}`);
      return page;
    },
    async close() {
      await (await browser)?.close();
      await studio.close();
      await rig.close();
    },
  };
}

/** What no answer of the studio may contain. */
export const SECRETS: readonly string[] = [STUDIO_TOKEN, RIG_KEY];
