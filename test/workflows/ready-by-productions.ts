import { type FrozenProduction } from '../../contracts/render/frozen';
import { type LimitSet } from '../../contracts/gateway/limits';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type ProductionStatus } from '../../contracts/status';
import { betaShot, film, planOf, type Rig, startRig } from '../support/rig';
import { wantedIn } from '../support/ready-by';
import { until } from '../support/until';

/** How long the sandbox takes for a clip. */
const RENDER_SECONDS = 4;

/** The same for tests that query the production meanwhile: a lost query is repeated after 5 s. */
const LOOKED_AT_SECONDS = 12;

/** A time in the future, but closer than the margin, so that nothing can start. */
const NEAR_SECONDS = 9.5;

const FAR_SECONDS = 3_600;

const MODEL = 'beta-2.5';

/** Productions with too little time until `readyBy`. Each test file that imports this module starts its own rig. */
export let rig: Rig;

beforeAll(async () => {
  const renderSeconds = ({ parameters }: { parameters: unknown }): number =>
    (parameters as { prompt: string }).prompt.startsWith('unknown: ') ? LOOKED_AT_SECONDS : RENDER_SECONDS;
  rig = await startRig({ renderSeconds });
  const times = rig.store.account('sandbox').usualTimes;
  for (let n = 0; n < 3; n += 1) {
    await times.note(MODEL, RENDER_SECONDS * 1_000);
  }
});

afterEach(async () => {
  rig.sandbox.faults.clear();
  await limit({});
});

afterAll(() => rig.close());

export async function limit(account: LimitSet): Promise<void> {
  await rig.store.account('sandbox').limits.change(() => ({ account, models: {} }));
  await rig.client.arbiter.limitsChanged();
}

/** Starts a production with one accepted task and others waiting. Then its file sets a readyBy within moments. */
export async function hurried(
  production: FrozenProduction,
  plan: Partial<ProductionPlan>,
  waiting = 0,
  without: 'fallback' | 'nothing' = 'nothing',
): Promise<void> {
  const timed = async (seconds: number): Promise<Partial<ProductionPlan>> => {
    const all = await wantedIn(seconds, production, rig.store, plan);
    return without === 'nothing' ? all : { ...all, readyBy: { rule: all.readyBy!.rule, at: all.readyBy!.at! } };
  };
  // The accepted task keeps its place until then: it reports no end.
  rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
  await rig.start(production, await timed(FAR_SECONDS));
  await until(() => Object.keys(asked(production.id)).length > 0);
  await until(async () => waiting === 0 || (await rig.client.arbiter.view())?.waiting.length === waiting);
  const changed = planOf(production, await timed(NEAR_SECONDS));
  const ref = await rig.store.putJson(production);
  await rig.client.direct({ productionId: production.id, production: ref, plan: changed }, []);
  rig.sandbox.faults.clear();
}

/** The lengths of the clips that were requested from the gateway, by shot. */
export function asked(id: string): Readonly<Record<string, number[]>> {
  const sent: Record<string, number[]> = {};
  for (const { parameters } of rig.sandbox.tasks()) {
    const { prompt, duration } = parameters as { prompt: string; duration: number };
    if (!prompt.startsWith(`${id}: `)) continue;
    (sent[prompt.slice(id.length + 2)] ??= []).push(duration);
  }
  return sent;
}

export const clip = (id: string, name: string): ReturnType<typeof betaShot> =>
  betaShot(name, { parameters: { prompt: `${id}: ${name}`, duration: 5, resolution: '480p' } });

export const three = (id: string): FrozenProduction =>
  film(
    id,
    ['a', 'b', 'c'].map((name) => clip(id, name)),
  );

export const fallbackOf = ({ readyBy: told }: ProductionStatus): readonly string[] =>
  (told?.fallback ?? []).map(({ shot }) => shot).toSorted();
