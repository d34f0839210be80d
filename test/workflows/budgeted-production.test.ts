import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/plan';
import { type ProductionStatus } from '../../contracts/status';
import { waitsForPeople } from '../../client';
import { film, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

/** What the sandbox takes for a picture; the workers' table has it. */
const PICTURE = 3;

describe('a production with a budget', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({}, { prices: { 'pixel-image-1': { perTask: PICTURE } } });
  });
  afterAll(() => rig.close());
  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  function picture(id: string, production: string, changes: Partial<FrozenShot> = {}): FrozenShot {
    return {
      id,
      model: { id: 'pixel-image-1', output: 'image' },
      parameters: { prompt: `${production}: ${id}`, width: 64, height: 36 },
      files: {},
      ...changes,
    };
  }
  const pictures = (id: string, ...names: readonly string[]): FrozenProduction =>
    film(
      id,
      names.map((name) => picture(name, id)),
    );
  type Rules = Partial<ProductionPlan['shots'][number]>;
  function begin(
    production: FrozenProduction,
    credits: number | undefined,
    rules: Rules = {},
    plan = {},
  ): Promise<void> {
    const shots = planOf(production).shots.map((shot) => ({ ...shot, ...rules }));
    const budget = credits === undefined ? {} : { budget: { credits } };
    return rig.start(production, { assemble: false, shots, ...budget, ...plan });
  }
  const waiting = (id: string): Promise<ProductionStatus> =>
    until(async () => {
      const status = await rig.client.status(id);
      return status !== undefined && waitsForPeople(status) && status;
    });
  /** By the gateway's own list. */
  const charges = (id: string): number =>
    rig.sandbox
      .tasks()
      .filter(({ parameters }) => String((parameters as { prompt: string }).prompt).startsWith(`${id}:`))
      .reduce((sum, { credits }) => sum + credits, 0);
  const states = ({ shots }: ProductionStatus): readonly string[] => shots.map(({ state }) => state);

  it('parks what does not fit with the figures, and goes on by itself once it is raised', async () => {
    await begin(pictures('raised', 'a', 'b', 'c', 'd'), 7);
    const parked = await waiting('raised');
    expect(states(parked).toSorted()).toEqual(['completed', 'completed', 'parked', 'parked']);
    const reasons = parked.shots.flatMap(({ parked: wait, reason }) => (wait?.for === 'budget' ? [reason] : []));
    expect(reasons).toContain('it needs 3 credits, and 1 of 7 credits are left');
    expect(reasons).toContainEqual(expect.stringMatching(/^"[abcd]" asked before: it needs 3/));
    expect(parked.budget).toEqual({ credits: 7, spent: 6, reserved: 0, unclear: 0 });
    expect(await rig.client.setBudget('raised', 8)).toMatchObject({ credits: 8 });
    expect(JSON.stringify((await waiting('raised')).shots)).toContain('2 of 8 credits');
    expect(charges('raised')).toBe(6);
    await rig.client.setBudget('raised', 12);
    expect(await rig.client.ended('raised')).toMatchObject({ state: 'completed', budget: { spent: 12, reserved: 0 } });
    expect(charges('raised')).toBe(12);
  });

  it('sends one task first where nobody knows the price, and the others by its charge', async () => {
    const texts = ['a', 'b', 'c'].map((id) =>
      picture(id, 'first', { model: { id: 'quill-text-1', output: 'text' }, parameters: { prompt: `first: ${id}` } }),
    );
    await begin(film('first', texts), 10);
    expect(await rig.client.ended('first')).toMatchObject({ state: 'completed', budget: { spent: 3 } });
    const [first, ...others] = (await Promise.all(['a', 'b', 'c'].map((id) => rig.store.ledger.takes('first', id))))
      .flat()
      .toSorted((a, b) => (a.sendings[0]!.sent!.at < b.sendings[0]!.sent!.at ? -1 : 1));
    for (const { sendings } of others) expect(sendings[0]!.sent!.at >= first!.settled!.at).toBe(true);
  });

  it('goes on where a parked shot is left out, or gets a clip of the own, and not for the asking', async () => {
    await begin(pictures('answered', 'a', 'b', 'c'), 3);
    const [a] = (await waiting('answered')).shots;
    await expect(rig.client.resolve('answered', 'b', { kind: 'resubmit' })).rejects.toThrow('takes skip, use');
    await rig.client.resolve('answered', 'b', { kind: 'skip' });
    expect((await waiting('answered')).shots[2]?.reason).toMatch(/^it needs 3/);
    await rig.client.resolve('answered', 'c', { kind: 'use', asset: a!.takes[0]!.asset! });
    const ended = await rig.client.ended('answered');
    expect(states(ended)).toEqual(['completed', 'skipped', 'completed']);
    expect(charges('answered')).toBe(3);
    expect(ended.budget).toMatchObject({ spent: 3, reserved: 0 });
  });

  it('counts a further take of a task that failed', async () => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    await begin(pictures('retried', 'a'), 5, { retryFailed: 1 });
    expect(await waiting('retried')).toMatchObject({ shots: [{ parked: { for: 'budget' } }] });
    expect(charges('retried')).toBe(3);
    await rig.client.setBudget('retried', 6);
    expect(await rig.client.ended('retried')).toMatchObject({ state: 'completed' });
    expect(charges('retried')).toBe(6);
  });

  it('counts a take that the file has sent again, and keeps what is unclear reserved', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await begin(pictures('resubmitted', 'a'), 5, { onUnclear: 'resubmit' });
    expect((await waiting('resubmitted')).budget).toEqual({ credits: 5, spent: 0, reserved: 3, unclear: 3 });
    expect(charges('resubmitted')).toBe(3);
    await rig.client.setBudget('resubmitted', 6);
    expect(await rig.client.ended('resubmitted')).toMatchObject({
      state: 'completed',
      budget: { spent: 3, reserved: 3, unclear: 3 },
    });
    expect(charges('resubmitted')).toBe(6);
  });

  it('counts a take that a person sends again, and settles one that a person adopts', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 2 });
    await begin(pictures('decided', 'a', 'b'), 7);
    await until(async () => states((await rig.client.status('decided'))!).every((state) => state === 'parked'));
    await rig.client.resolve('decided', 'a', { kind: 'resubmit' });
    expect(
      (
        await until(async () => {
          const { shots = [] } = (await rig.client.status('decided')) ?? {};
          return shots[0]?.parked?.for === 'budget' && shots[0];
        })
      ).reason,
    ).toContain('1 of 7');
    const [task] = (await rig.store.ledger.takes('decided', 'b')).map(({ intent }) =>
      rig.sandbox.tasks().find(({ idempotencyKey }) => idempotencyKey === intent.takeKey),
    );
    await rig.client.resolve('decided', 'b', { kind: 'adopt', taskId: task!.id });
    await until(async () => (await rig.client.status('decided'))?.shots[1]?.state === 'completed');
    expect((await waiting('decided')).budget).toEqual({ credits: 7, spent: 3, reserved: 3, unclear: 3 });
    await rig.client.setBudget('decided', 9);
    expect(await rig.client.ended('decided')).toMatchObject({ state: 'completed' });
    expect(charges('decided')).toBe(9);
  });

  it('counts each of the takes side by side, and leaves to others what is not sent any more', async () => {
    const production = film('sided', [picture('a', 'sided'), picture('b', 'sided')]);
    const [a, b] = planOf(production).shots;
    await begin(production, 7, {}, { shots: [{ ...a!, takes: 3 }, b!] });
    const ended = await rig.client.ended('sided').catch(() => undefined);
    expect(ended ?? (await waiting('sided'))).toMatchObject({ shots: [{ state: 'completed' }, {}] });
    expect(charges('sided')).toBeLessThanOrEqual(7);
  });
});
