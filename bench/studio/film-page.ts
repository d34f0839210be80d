import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type Page } from 'playwright-core';
import { dailiesOver, takesOf } from '../../client';
import { DRILL_ACCOUNT, type Stage } from '../../drill/stage';
import { type Finding, found } from '../finding';
import { onOwnStage } from '../own-folder';
import { wholeMegabytes } from '../process-use';
import { openChromium } from './chromium';
import { paintedScript, SEEN } from './in-page';
import { type StudioProcess, startStudioProcess } from './studio-process';

export const STUDIO_SHOTS = 300;

/** Number of shots that end one after another while a page is open. */
const CHANGES = 10;
/** Number of shots that outlast the measurement. */
const STILL_RENDERING = 5;

/** The first of the `CHANGES` shots ends after this time; the page must be open by then. Then one ends per interval. */
const FIRST_CHANGE_SECONDS = 25;
const CHANGE_EVERY_SECONDS = 3;
const STILL_SECONDS = 3_600;

const ROUNDS = 9;
const TABS = 5;
const TABS_OPEN_MS = 20_000;

const WAIT_MS = 300_000;
const LOOK_EVERY_MS = 500;

/** Measures a production's page with 300 shots in Chromium: first paint, changes, and the studio's memory. */
export async function measureFilmPage(): Promise<readonly Finding[]> {
  // Chromium starts first, so that nothing is rendered if there is no Chromium.
  const browser = await openChromium();
  try {
    return await onOwnStage({ renderSeconds: secondsOf, pictures: 'plain' }, async (stage, folder) => {
      const worker = await stage.startWorker();
      const studio = await startStudioProcess(stage);
      try {
        await beginFilm(stage, folder);
        const changes = await measureChanges(stage, studio, browser);
        const paints = await measurePaints(studio, browser);
        return [...paints, ...changes, await measureTabs(studio, browser)];
      } finally {
        await studio.close();
        worker.signal('SIGTERM');
        await worker.ended;
      }
    });
  } finally {
    await browser.close();
  }
}

/** Duration of a task at the gateway. The task's prompt ends with it, for example `25 s`. */
function secondsOf({ parameters: { prompt } }: { readonly parameters: Readonly<Record<string, unknown>> }): number {
  return Number(/(\d+) s$/.exec(String(prompt))?.[1] ?? 0);
}

/** Begins the production, and returns when the quick shots have completed. */
async function beginFilm(stage: Stage, folder: string): Promise<void> {
  const { temporal, store, client } = stage;
  const config = {
    account: DRILL_ACCOUNT,
    storeFolder: store.folder,
    fileValues: 'auto',
    dataUriMaxBytes: 1e6,
  } as const;
  const file = join(folder, 'film.json');
  await writeFile(file, JSON.stringify(film()));
  await dailiesOver({ temporal, store, config }).renderProduction(file, { wait: false });
  const quick = STUDIO_SHOTS - CHANGES - STILL_RENDERING;
  await until('the quick shots', async () => {
    const shots = (await client.status('film'))?.shots ?? [];
    return shots.filter(({ state }) => state === 'completed').length >= quick;
  });
}

function film(): unknown {
  const slowFrom = STUDIO_SHOTS - CHANGES;
  const seconds = (place: number): number => {
    if (place < STILL_RENDERING) return STILL_SECONDS;
    return place < slowFrom ? 0 : FIRST_CHANGE_SECONDS + (place - slowFrom) * CHANGE_EVERY_SECONDS;
  };
  return {
    title: 'The sea',
    id: 'film',
    maxInFlight: 64,
    models: { 'pixel-image-1': { output: 'image' } },
    shots: Array.from({ length: STUDIO_SHOTS }, (_, place) => ({
      ...{ id: `shot-${place + 1}`, model: 'pixel-image-1', width: 320, height: 180 },
      prompt: `the sea, hour ${place + 1}, ${seconds(place)} s`,
    })),
  };
}

/**
 * Milliseconds from the ledger's record of a task's end until an open page has painted the shot as completed. The
 * record marks the moment at which Dailies learns of the end.
 */
async function measureChanges(stage: Stage, studio: StudioProcess, browser: Browser): Promise<readonly Finding[]> {
  const page = await tabOf(studio, browser, SEEN);
  await page.goto(`${studio.origin}/productions/film`);
  const openedAtMs = Date.now();
  await until('the changes', async () => Number(await page.evaluate('seen.size')) === STUDIO_SHOTS - STILL_RENDERING);
  const seen = new Map<string, number>(await page.evaluate<[string, number][]>('[...seen]'));
  await page.context().close();
  const times: number[] = [];
  for (const [shot, takes] of await takesOf(stage.store, DRILL_ACCOUNT, 'film')) {
    const knownAtMs = Date.parse(takes[0]?.settled?.at ?? '');
    if (knownAtMs > openedAtMs) times.push((seen.get(`shot-${shot}`) ?? NaN) - knownAtMs);
  }
  if (times.length < CHANGES / 2) throw new Error(`only ${times.length} shots ended while the page was open`);
  return [found('a change is on an open page', 'ms after the ledger knew it', times)];
}

/** Milliseconds from the navigation to the first useful paint, with an empty cache; also for a page without content. */
async function measurePaints(studio: StudioProcess, browser: Browser): Promise<readonly Finding[]> {
  const [whole, empty]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    whole.push(await paintOf(studio, browser, '/productions/film', `#shot-shot-${STUDIO_SHOTS}`));
    empty.push(await paintOf(studio, browser, '/none', 'main h1'));
  }
  return [
    found(`first useful paint of ${STUDIO_SHOTS} shots`, 'ms', whole),
    found('... of a page without content', 'ms', empty),
  ];
}

async function paintOf(studio: StudioProcess, browser: Browser, path: string, last: string): Promise<number> {
  const page = await tabOf(studio, browser, paintedScript(last));
  await page.goto(`${studio.origin}${path}`);
  const ms = Number(await page.evaluate('painted'));
  await page.context().close();
  return ms;
}

async function measureTabs(studio: StudioProcess, browser: Browser): Promise<Finding> {
  const tabs = [];
  for (let tab = 0; tab < TABS; tab += 1) {
    const page = await tabOf(studio, browser);
    await page.goto(`${studio.origin}/productions/film`);
    tabs.push(page);
  }
  await sleep(TABS_OPEN_MS);
  const { now, most } = await wholeMegabytes(studio.pid);
  for (const page of tabs) await page.context().close();
  const quantities = [
    { unit: 'MB in the studio', values: [now] },
    { unit: 'MB at most', values: [most] },
  ];
  return { title: `${STUDIO_SHOTS} shots in ${TABS} tabs: memory`, quantities };
}

/** Opens a tab with the studio's cookie and an empty cache. */
async function tabOf({ origin, cookie }: StudioProcess, browser: Browser, script = ''): Promise<Page> {
  const context = await browser.newContext();
  await context.addCookies([{ ...cookie, url: origin, httpOnly: true, sameSite: 'Strict' }]);
  const page = await context.newPage();
  await page.addInitScript(script);
  return page;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const begun = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begun > WAIT_MS) throw new Error(`${what} took more than ${WAIT_MS / 1_000} s`);
    await sleep(LOOK_EVERY_MS);
  }
}
