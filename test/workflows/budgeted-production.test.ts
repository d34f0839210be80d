import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { type ProductionPlan } from '../../contracts/plan';
import { type ProductionStatus } from '../../contracts/status';
import { waitsForPeople } from '../../client';
import { film, type Rig, shotsBy, startRig } from '../support/rig';
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
    const shots = shotsBy(rules, production);
    const budget = credits === undefined ? {} : { budget: { credits } };
    return rig.start(production, { assemble: false, shots, ...budget, ...plan });
  }
  const waiting = (id: string): Promise<ProductionStatus> =>
    until(async () => {
      const status = await rig.client.status(id);
      return status !== undefined && waitsForPeople(status) && status;
    });
  /** What the gateway has accepted of a production, by its own list. */
  const tasks = (id: string): readonly { readonly prompt: string; readonly credits: number }[] =>
    rig.sandbox
      .tasks()
      .map(({ parameters, credits }) => ({ prompt: (parameters as { prompt: string }).prompt, credits }))
      .filter(({ prompt }) => prompt.startsWith(`${id}:`));
  const charges = (id: string): number => tasks(id).reduce((sum, { credits }) => sum + credits, 0);
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

  it('counts what earlier renders were charged, and a retake like every other take', async () => {
    await begin(pictures('again', 'a', 'b'), 8);
    expect(await rig.client.ended('again')).toMatchObject({ state: 'completed' });
    const retaken = film('again', [picture('a', 'again', { variant: 1 }), picture('b', 'again')]);
    await begin(retaken, 8);
    const { budget, shots } = await waiting('again');
    expect(shots.map(({ state }) => state)).toEqual(['parked', 'completed']);
    expect(budget).toEqual({ credits: 8, spent: 6, reserved: 0, unclear: 0 });
    await rig.client.setBudget('again', 9);
    expect(await rig.client.ended('again')).toMatchObject({ state: 'completed', budget: { spent: 9 } });
    expect(charges('again')).toBe(9);
  });

  it('frees what a shot had reserved that was refused for good', async () => {
    rig.sandbox.faults.inject({ kind: 'refuse-400', on: 'submit', count: 1 });
    await begin(pictures('refused', 'a', 'b'), 3);
    const ended = await rig.client.ended('refused');
    expect(states(ended).toSorted()).toEqual(['completed', 'failed']);
    expect(ended.budget).toMatchObject({ spent: 3, reserved: 0 });
  });
});
