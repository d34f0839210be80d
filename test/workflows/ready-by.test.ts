import { directedProduction } from '../../client/directed-production';
import { type FrozenProduction } from '../../contracts/frozen';
import { type LimitSet } from '../../contracts/limits';
import { type ProductionPlan } from '../../contracts/plan';
import { type ProductionStatus } from '../../contracts/status';
import { createAccountLimits, createDirecting, createUsualTimes, shotDigest } from '../../store';
import { betaShot, film, planOf, type Rig, startRig } from '../support/rig';
import { wantedIn } from '../support/ready-by';
import { until } from '../support/until';

/** How long the sandbox takes for a clip. */
const RENDER_SECONDS = 4;
/** The same where it is looked at on the way: a question that Temporal loses is asked again after 5 s. */
const LOOKED_AT_SECONDS = 12;

/** Past the last moment of anything, by the margin alone, and yet to come. */
const NEAR_SECONDS = 9.5;
const FAR_SECONDS = 3_600;
const MODEL = 'beta-2.5';

describe('a production that is to be ready by a time', () => {
  let rig: Rig;

  beforeAll(async () => {
    const renderSeconds = ({ parameters }: { parameters: unknown }): number =>
      (parameters as { prompt: string }).prompt.startsWith('unknown: ') ? LOOKED_AT_SECONDS : RENDER_SECONDS;
    rig = await startRig({ renderSeconds });
    const times = createUsualTimes(rig.store.records, 'sandbox');
    for (let n = 0; n < 3; n += 1) {
      await times.note(MODEL, RENDER_SECONDS * 1_000);
    }
  });
  afterEach(async () => {
    rig.sandbox.faults.clear();
    await limit({});
  });
  afterAll(() => rig.close());

  async function limit(account: LimitSet): Promise<void> {
    await createAccountLimits(rig.store.records, 'sandbox').write({ account, models: {} });
    await rig.client.arbiter.limitsChanged();
  }
  /** It is under way, so that one task is accepted and others wait; then its file wants it in a moment. */
  async function hurried(
    production: FrozenProduction,
    plan: Partial<ProductionPlan>,
    waiting = 0,
    without: 'fallback' | 'nothing' = 'nothing',
  ): Promise<void> {
    const timed = async (seconds: number): Promise<Partial<ProductionPlan>> => {
      const all = await wantedIn(seconds, production, rig.store, plan);
      return without === 'nothing' ? all : { ...all, readyBy: { rule: all.readyBy!.rule, at: all.readyBy!.at! } };
    };
    // The accepted one keeps its place until then: no end is heard.
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    await rig.start(production, await timed(FAR_SECONDS));
    await until(() => Object.keys(asked(production.id)).length > 0);
    await until(async () => waiting === 0 || (await rig.client.arbiter.view())?.waiting.length === waiting);
    const changed = planOf(production, await timed(NEAR_SECONDS));
    const ref = await rig.store.putJson(production);
    await rig.client.direct({ productionId: production.id, production: ref, plan: changed }, []);
    rig.sandbox.faults.clear();
  }
  /** Length of each clip that the gateway was asked for, by shot. */
  function asked(id: string): Readonly<Record<string, number[]>> {
    const sent: Record<string, number[]> = {};
    for (const { parameters } of rig.sandbox.tasks()) {
      const { prompt, duration } = parameters as { prompt: string; duration: number };
      if (!prompt.startsWith(`${id}: `)) continue;
      (sent[prompt.slice(id.length + 2)] ??= []).push(duration);
    }
    return sent;
  }
  const clip = (id: string, name: string): ReturnType<typeof betaShot> =>
    betaShot(name, { parameters: { prompt: `${id}: ${name}`, duration: 5, resolution: '480p' } });
  const three = (id: string): FrozenProduction =>
    film(
      id,
      ['a', 'b', 'c'].map((name) => clip(id, name)),
    );
  const fallbackOf = ({ readyBy: told }: ProductionStatus): readonly string[] =>
    (told?.fallback ?? []).map(({ shot }) => shot).toSorted();

  it('renders by the fallback what is not submitted at the last moment, and pays for each shot once', async () => {
    const production = three('late');
    await hurried(production, { maxInFlight: 1, assemble: false });
    const ended = await rig.client.ended('late');
    expect(ended.state).toBe('completed');
    const sent = asked('late');
    expect(sent).toEqual({ a: [5], b: [4], c: [4] });
    expect(fallbackOf(ended)).toEqual(['b', 'c']);
    const direction = await createDirecting(rig.store.records).direction('late', 'c');
    expect(direction).toMatchObject({ by: 'deadline', of: shotDigest(production.shots[2]!) });

    const { production: later } = await directedProduction(production, rig.store);
    // The very production that ran: a render of the same file would have joined it.
    expect((await rig.store.putJson(later)).sha256).toBe(ended.frozen.sha256);
    expect((await rig.render(later, { maxInFlight: 1, assemble: false })).state).toBe('completed');
    expect(asked('late')).toEqual(sent);
  });

  it('starts nothing by the fallback once it is cancelled, also while shots stand down', async () => {
    const production = three('cancelled');
    await limit({ inFlight: 1 });
    await hurried(production, { assemble: false }, 2);
    await rig.client.cancel('cancelled');
    expect((await rig.client.ended('cancelled')).state).toBe('cancelled');
    expect(Object.values(asked('cancelled')).every(({ length }) => length === 1)).toBe(true);
  });
});
