import { type ResultLine, resultLine, rowStandings } from '../../client/batch';
import { type LimitSet } from '../../contracts/gateway/limits';
import { clipRow } from '../support/batches';
import { type Rig, startRig } from '../support/rig';

/** How long the sandbox takes for a clip, and how long clips are known to take: a batch falls behind. */
const RENDER_SECONDS = 3;

const KNOWN_MS = 1_000;

/** The same for tests that query or direct the batch meanwhile: a lost query is repeated after 5 s. */
const LOOKED_AT_SECONDS = 12;

const LOOKED_AT = /^(warned: r1$|unknown: |cancelled: )/;

/** The smallest margin: closer to `readyBy` than this, all shots are due at once. */
export const DUE_SECONDS = 9.5;

export const FALLBACK = { duration: 4 };

/** Batches with too little time until `readyBy`. Each test file that imports this module starts its own rig. */
export let rig: Rig;

beforeAll(async () => {
  const renderSeconds = ({ parameters }: { parameters: unknown }): number =>
    LOOKED_AT.test((parameters as { prompt: string }).prompt) ? LOOKED_AT_SECONDS : RENDER_SECONDS;
  rig = await startRig({ renderSeconds });
  const times = rig.store.account('sandbox').usualTimes;
  for (let n = 0; n < 3; n += 1) await times.note('beta-2.5', KNOWN_MS);
});

afterEach(() => limit({}));

afterAll(() => rig.close());

export async function limit(account: LimitSet): Promise<void> {
  await rig.store.account('sandbox').limits.change(() => ({ account, models: {} }));
  await rig.client.arbiter.limitsChanged();
}

export const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

export const clips = (id: string, count: number): readonly Readonly<Record<string, unknown>>[] =>
  Array.from({ length: count }, (_, index) => clipRow(`r${index + 1}`, { prompt: `${id}: r${index + 1}` }));

export async function lines(id: string): Promise<readonly ResultLine[]> {
  const begun = await rig.store.batches.begun(id);
  if (begun === undefined) throw new Error(`there is no batch ${id}`);
  const found: ResultLine[] = [];
  for await (const standing of rowStandings(rig.store, begun, id, undefined))
    found.push(await resultLine(rig.store, standing, null));
  return found;
}
