import { audit } from '../../client/books';
import { type SandboxTask } from '../../sandbox';
import { betaShot, film, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

describe('the deadline of a task', () => {
  let rig: Rig;

  beforeAll(async () => {
    // Far longer than any deadline here, with reads more than 3 s apart, except for one of a shot's two takes.
    let quick: string | undefined;
    const renderSeconds = ({ id, parameters }: SandboxTask): number => {
      if ((parameters as { prompt?: string }).prompt?.endsWith('two-takes') === true) quick ??= id;
      return id === quick ? 1 : 25;
    };
    rig = await startRig({ renderSeconds }, { pollFloorMs: 4_000 });
  });

  afterAll(async () => {
    await rig.close();
  });

  it('of a take beside a chosen one blocks nothing: the shot names its task, and another render collects it', async () => {
    const production = film('beside', [betaShot('two-takes')]);
    const shots = planOf(production).shots.map((shot) => ({ ...shot, deadlineSeconds: 6, takes: 2 }));
    const before = rig.sandbox.tasks().length;
    const [shot] = (await rig.render(production, { shots, assemble: false })).shots;
    const [chosen, late] = [shot?.filmTake, shot?.takes.find(({ take }) => take !== shot.filmTake)];
    expect(shot).toMatchObject({ state: 'completed', parked: null });
    expect(shot?.reason).toMatch(`take ${late?.take}: task ${late?.taskId} has not ended within 6 s; another render`);
    const audited = await audit({ store: rig.store, account: 'sandbox', production: 'beside' });
    expect(audited?.differences).toMatchObject([{ kind: 'not-collected', take: late?.take }]);

    await until(() => rig.sandbox.tasks().every(({ state }) => state === 'COMPLETED'));
    const directed = shots.map((one) => ({ ...one, directed: true }));
    const [again] = (await rig.render(production, { shots: directed, assemble: false })).shots;
    expect(again).toMatchObject({ state: 'completed', reason: null, filmTake: chosen });
    expect(again?.takes.map(({ asset }) => asset !== null)).toEqual([true, true]);
    expect(rig.sandbox.tasks()).toHaveLength(before + 2);
  });
});
