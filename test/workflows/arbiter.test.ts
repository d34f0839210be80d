import { type ArbiterView } from '../../contracts/arbiter';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { type LimitSet } from '../../contracts/limits';
import { type PlannedShot, type ProductionPlan } from '../../contracts/plan';
import { createAccountLimits } from '../../store';
import { film, pictureShot, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

/** What the sandbox takes for a picture; the workers' table has it. */
const PICTURE = 3;

describe('the arbiter of an account', () => {
  let rig: Rig;

  beforeAll(async () => {
    // Some take longer where places are counted, so that all are taken at once however long a submit takes.
    const renderSeconds = ({ parameters }: { parameters: unknown }): number =>
      /^(one|lost|reset|handed): s[012]$/.test((parameters as { prompt: string }).prompt) ? 6 : 1;
    rig = await startRig({ renderSeconds }, { prices: { 'pixel-image-1': { perTask: PICTURE } } });
  });
  // A test that fails is to leave the others their places.
  afterEach(async () => {
    rig.sandbox.faults.clear();
    await settleEndless();
    await limit({});
  });
  afterAll(() => rig.close());

  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);
  const picture = (id: string, name: string): FrozenShot =>
    pictureShot(name, { parameters: { prompt: `${id}: ${name}`, width: 64, height: 36 } });
  const pictures = (id: string, count: number): FrozenProduction =>
    film(
      id,
      names(count).map((name) => picture(id, name)),
    );
  /** All are submitted: what never ends and is executed would be unclear. */
  const begin = (
    id: string,
    count: number,
    plan: Partial<ProductionPlan> = {},
    rules: Partial<PlannedShot> = {},
  ): Promise<void> => {
    const production = pictures(id, count);
    const shots = planOf(production).shots.map((shot) => ({ ...shot, mode: 'submit' as const, ...rules }));
    return rig.start(production, { assemble: false, maxInFlight: count, shots, ...plan });
  };
  async function limit(account: LimitSet, models: Record<string, LimitSet> = {}): Promise<void> {
    await createAccountLimits(rig.store.records, 'sandbox').write({ account, models });
    await rig.client.arbiter.limitsChanged();
  }
  async function view(): Promise<ArbiterView> {
    return until(() => rig.client.arbiter.view());
  }
  /** Exact numbers may pass unseen: tasks end meanwhile. */
  const someWait = (count = 1): Promise<ArbiterView> =>
    until(async () => {
      const now = await view();
      return now.waiting.length >= count && now;
    });
  /** In the order in which the sandbox accepted them. */
  const prompts = (id: string): readonly string[] =>
    rig.sandbox
      .tasks()
      .map(({ parameters }) => (parameters as { prompt: string }).prompt)
      .filter((prompt) => prompt.startsWith(`${id}: `));
  /** Most tasks of those since a moment that were unfinished at once, by the sandbox's own times. */
  function mostUnfinished(...ids: readonly string[]): number {
    const tasks = rig.sandbox.tasks().filter(({ parameters }) => {
      const { prompt } = parameters as { prompt: string };
      return ids.some((id) => prompt.startsWith(`${id}: `));
    });
    const at = (time: string): number =>
      tasks.filter(({ acceptedAt, finishedAt }) => acceptedAt <= time && (finishedAt === null || finishedAt > time))
        .length;
    return Math.max(0, ...tasks.map(({ acceptedAt }) => at(acceptedAt)));
  }
  async function completed(...ids: readonly string[]): Promise<void> {
    const ended = await Promise.all(ids.map((id) => rig.client.ended(id)));
    expect(ended.map(({ state }) => state)).toEqual(ids.map(() => 'completed'));
  }

  /** Notes the end of a task that never ends. */
  async function settle(productionId: string, shotId: string): Promise<void> {
    const { taskId } = await until(async () => {
      const [take] = await rig.store.ledger.takes(productionId, shotId);
      return take?.sendings.at(-1)?.accepted;
    });
    const ended = { state: 'failed' as const, credits: 0, reason: 'content_policy', text: null, raw: null };
    await rig.store.ledger.settle(
      { productionId, shotId, take: 1 },
      { ...ended, taskId, at: new Date().toISOString() },
    );
  }

  /** The same for all of them. */
  async function settleEndless(): Promise<void> {
    const endless = rig.sandbox.tasks().filter(({ fate, finishedAt }) => fate === 'never-ends' && finishedAt === null);
    const prompted = endless.map(({ parameters }) => (parameters as { prompt: string }).prompt.split(': '));
    await Promise.all(prompted.map(([id = '', name = '']) => settle(id, name)));
  }

  it('is not needed where no limit is set', async () => {
    await begin('free', 2);
    await completed('free');
    expect(await rig.client.arbiter.view()).toBeUndefined();
  });

  it('lets no more tasks be unfinished than were allowed, over several productions and single tasks', async () => {
    await limit({ inFlight: 3 });
    const one: FrozenProduction = { version: 1, id: GENERATIONS, title: 'own', shots: [picture('own', 'own')] };
    const [shot] = planOf(one).shots;
    const generated = rig.client.generate({
      generationId: 'own',
      production: await rig.store.putJson(one),
      shot: shot!,
      mode: 'execute',
    });
    await Promise.all([begin('one', 5), begin('two', 5)]);
    await completed('one', 'two');
    expect(await generated).toMatchObject({ state: 'completed' });
    expect(mostUnfinished('one', 'two', 'own')).toBe(3);
    // Every place is free again: nobody holds one whose task has ended.
    await until(async () => (await view()).inFlight === 0);
  });

  it('says what waits, why and since when', async () => {
    await limit({ inFlight: 1 }, { 'pixel-image-1': { inFlight: 7 } });
    const begun = new Date().toISOString();
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    await begin('told', 2, { priority: 'urgent' }, { onFailure: 'fail' });
    const {
      waiting: [first],
      limits,
    } = await someWait();
    expect(limits).toEqual({ account: { inFlight: 1 }, models: { 'pixel-image-1': { inFlight: 7 } } });
    expect(first).toMatchObject({
      production: 'told',
      take: 1,
      model: 'pixel-image-1',
      priority: 'urgent',
      waitsFor: '1 tasks are in flight, of at most 1',
    });
    expect(first!.since > begun).toBe(true);
    await limit({ inFlight: 2 });
    await until(() => prompts('told').length === 2);
    await settleEndless();
    await rig.client.ended('told');
  });
});
