import { type FrozenProduction } from '../../contracts/frozen';
import { shotWorkflowId } from '../../contracts/identifiers';
import { type LimitSet } from '../../contracts/limits';
import { type ProductionPlan } from '../../contracts/plan';
import { type ProductionStatus } from '../../contracts/status';
import { type ShotOutcome } from '../../contracts/workflows';
import { createAccountLimits, createUsualTimes } from '../../store';
import { standDownSignal } from '../../workflows/messages';
import { betaShot, film, linkedShot, planOf, type Rig, shotsBy, startRig } from '../support/rig';
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

  it('has shots stand down that wait for their turn, and leaves the accepted one alone', async () => {
    const production = three('turns');
    await limit({ inFlight: 1 });
    await hurried(production, { maxInFlight: 3, assemble: false }, 2);
    const ended = await rig.client.ended('turns');
    expect(ended.state).toBe('completed');
    const sent = asked('turns');
    expect(Object.values(sent).map(({ length }) => length)).toEqual([1, 1, 1]);
    const lengths = Object.values(sent).flat().toSorted();
    expect(lengths).toEqual([4, 4, 5]);
    const asWritten = Object.entries(sent).flatMap(([name, [length]]) => (length === 5 ? [name] : []));
    expect(fallbackOf(ended)).toEqual(['a', 'b', 'c'].filter((name) => !asWritten.includes(name)));
  });

  it('lets the tail of a chain take it, which starts on what was rendered as written', async () => {
    const production = film('chain', [
      clip('chain', 'a'),
      linkedShot('b', 'a', { parameters: clip('chain', 'b').parameters }),
    ]);
    await hurried(production, { assemble: false });
    const ended = await rig.client.ended('chain');
    expect(ended.state).toBe('completed');
    expect(asked('chain')).toEqual({ a: [5], b: [4] });
  });

  it('only warns where the file names no fallback, and where nobody knows how long tasks take', async () => {
    const production = three('warned');
    await hurried(production, { maxInFlight: 1, assemble: false }, 0, 'fallback');
    const warned = await until(async () => {
      const status = await rig.client.status('warned');
      return status?.readyBy?.warning != null && status;
    });
    expect(warned.readyBy?.warning).toContain('names no fallback');
    const ended = await rig.client.ended('warned');
    expect(ended.readyBy).toMatchObject({ fallback: [], warning: expect.stringMatching(/^it ended \d+ s late$/) });
    expect(Object.values(asked('warned')).flat()).toEqual([5, 5, 5]);

    const unknown = film('unknown', [
      betaShot('a', {
        model: { id: 'alpha-3.0-video', output: 'video' },
        parameters: { prompt: 'unknown: a', duration: 5, resolution: '480P' },
      }),
    ]);
    await rig.start(unknown, await wantedIn(30, unknown, rig.store, { assemble: false }));
    const status = await until(async () => {
      const now = await rig.client.status('unknown');
      return now?.readyBy?.warning != null && now;
    });
    expect(status.readyBy).toMatchObject({ urgentFrom: null, lastMoment: null });
    expect(status.readyBy?.warning).toContain('how long tasks of alpha-3.0-video take is not known yet');
    const slow = await rig.client.ended('unknown');
    expect([slow.state, fallbackOf(slow)]).toEqual(['completed', []]);
  });

  it('keeps a shot that is asked to stand down although one of its takes was accepted', async () => {
    const production = film('asked', [clip('asked', 'a')]);
    await limit({ inFlight: 1 });
    await rig.start(production, { assemble: false, shots: shotsBy({ takes: 2 }, production) });
    await until(
      async () => asked('asked')['a'] !== undefined && (await rig.client.arbiter.view())?.waiting.length === 1,
    );
    const workflows = rig.temporal.client.workflow;
    const shot = workflows.getHandle(shotWorkflowId(rig.store.id, 'asked', 'a'));
    const { runId } = await shot.describe();
    await shot.signal(standDownSignal);
    const outcome = (await workflows.getHandle(shot.workflowId, runId).result()) as ShotOutcome;
    expect(outcome.stoodDown).toBeUndefined();
    expect(outcome.takes.map(({ state }) => state)).toEqual(['completed', 'completed']);
    expect((await rig.client.ended('asked')).state).toBe('completed');
    expect(asked('asked')).toEqual({ a: [5, 5] });
  });

  it('has a shot with several takes stand down only whole', async () => {
    const production = film('siblings', [clip('siblings', 'a'), clip('siblings', 'b')]);
    await limit({ inFlight: 1 });
    await hurried(production, { assemble: false, shots: shotsBy({ takes: 2 }, production) }, 3);
    await rig.client.ended('siblings');
    const lengths = Object.values(asked('siblings'));
    // One of them had a take accepted: it stays with both. Of the other nothing was.
    expect(lengths.map((one) => one.join()).toSorted()).toEqual(['4', '5,5']);
  });
});
