import { WorkflowUpdateFailedError } from '@temporalio/client';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type FrozenProduction } from '../../contracts/frozen';
import { type PlannedShot } from '../../contracts/plan';
import { type ProductionStatus } from '../../contracts/status';
import { type Revision } from '../../contracts/workflows';
import { type Store } from '../../store';
import { reviseProductionUpdate } from '../../workflows/messages';
import { liveStatusOf } from '../support/live-status';
import { basisOf, betaShot, film, linkedShot, pictureShot, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

type Rules = Readonly<Record<string, Partial<PlannedShot>>>;

describe('a running production that is given another version of itself', () => {
  let rig: Rig;

  /** While there is one, no film is put together. */
  let scissors: Promise<void> | undefined;

  beforeAll(async () => {
    const through = (store: Store): Store => {
      const create: Store['assets']['create'] = async (...args) => {
        if (args[0] === 'film') await scissors;
        return store.assets.create(...args);
      };
      return { ...store, assets: { ...store.assets, create } };
    };
    rig = await startRig({}, { through });
  });

  afterAll(() => rig.close());

  /** Gives the scissors out again. */
  let cut = (): void => undefined;

  afterEach(() => {
    rig.sandbox.faults.clear();
    scissors = undefined;
    cut();
  });

  const accepted = (): number => rig.sandbox.tasks().length;

  const planned = (production: FrozenProduction, rules: Rules): readonly PlannedShot[] =>
    planOf(production).shots.map((shot) => ({ ...shot, ...rules[shot.id] }));

  async function start(production: FrozenProduction, rules: Rules = {}): Promise<void> {
    await rig.start(production, { shots: planned(production, rules) });
  }

  async function revise(
    production: FrozenProduction,
    { rules = {}, ...changes }: Partial<Revision> & { readonly rules?: Rules } = {},
  ): Promise<readonly string[]> {
    const plan = planOf(production, { shots: planned(production, rules) });
    const frozen = await rig.store.putJson(production);
    const basis = await basisOf(rig.store, frozen, plan);
    const revision = { productionId: production.id, production: frozen, plan, basis, again: [], ...changes };
    const handle = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, production.id));
    return handle.executeUpdate(reviseProductionUpdate, { args: [revision] }).catch((error: unknown) => {
      throw error instanceof WorkflowUpdateFailedError ? new Error(error.cause?.message) : error;
    });
  }

  async function statusWhen(id: string, isSo: (status: ProductionStatus) => boolean): Promise<ProductionStatus> {
    return until(async () => {
      const status = await rig.client.status(id);
      return status !== undefined && isSo(status) && status;
    });
  }

  const long = { duration: 8, resolution: '480p', colorDepth: '8bit' };

  it('parked, completed, waiting and removed shots, two at once: each as the new version says', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const parked = pictureShot('parked');
    await start(film('many', [parked]));
    await statusWhen('many', ({ shots }) => shots[0]?.state === 'parked');
    const more = [pictureShot('done'), pictureShot('gone')];
    expect(await revise(film('many', [parked, ...more]))).toEqual(['done', 'gone']);
    await statusWhen('many', ({ shots }) => shots.filter(({ state }) => state === 'completed').length === 2);
    const before = accepted();
    const prompt = (words: string) => ({ parameters: { prompt: words } });
    const next = film('many', [
      pictureShot('new'),
      pictureShot('done', prompt('other')),
      pictureShot('parked', prompt('meek')),
    ]);
    expect(await revise(next)).toEqual(['new', 'done', 'parked']);
    const status = await rig.client.ended('many');
    expect(status.shots.map(({ id, state, filmTake }) => [id, state, filmTake])).toEqual([
      ['new', 'completed', 1],
      ['done', 'completed', 2],
      ['parked', 'completed', 2],
    ]);
    expect(accepted()).toBe(before + 3);
  });

  it('is refused, and nothing changes, where it cannot be of this production, or that is being cancelled', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const one = film('refusing', [pictureShot('a')]);
    await start(one);
    await statusWhen('refusing', ({ shots }) => shots[0]?.state === 'parked');
    const empty = { ...planOf(one), shots: [] };
    await expect(revise(one, { productionId: 'another' })).rejects.toThrow('of the production "another"');
    await expect(revise(one, { plan: empty })).rejects.toThrow('it has no shots');
    await expect(revise(one, { again: ['b'] })).rejects.toThrow('it has no shot "b"');
    await expect(revise(film('refusing', [linkedShot('a', 'b')]))).rejects.toThrow('it has no shot "b"');
    expect(await liveStatusOf(rig, 'refusing')).toMatchObject({ shots: [{ id: 'a', state: 'parked' }] });
    await rig.client.resolve('refusing', 'a', { kind: 'skip' });
    await rig.client.ended('refusing');

    const slow = film('leaving', [betaShot('a', { parameters: { ...long, prompt: 'slow' } })]);
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    await start(slow);
    await statusWhen('leaving', ({ shots }) => shots[0]?.takes[0]?.state === 'rendering');
    await rig.client.cancel('leaving');
    await expect(revise(slow, { again: ['a'] })).rejects.toThrow('being cancelled');
    rig.sandbox.faults.clear();
    await rig.client.ended('leaving');
  });
});
