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

  it('parks a task that is still pending, with its id; waiting again collects it at no cost', async () => {
    const plan = planOf(film('late', [betaShot('only')]));
    const shots = plan.shots.map((shot) => ({ ...shot, deadlineSeconds: 6 }));
    await rig.start(film('late', [betaShot('only')]), { shots, assemble: false });
    const parked = await until(async () => {
      const status = await rig.client.status('late');
      return status?.shots[0]?.state === 'parked' && status;
    });
    expect(parked.shots[0]).toMatchObject({
      parked: { for: 'overdue' },
      reason: expect.stringContaining('within 6 s'),
    });
    expect(parked.shots[0]?.takes[0]?.taskId).toBe(rig.sandbox.tasks()[0]?.id);
    await until(() => rig.sandbox.tasks()[0]?.state === 'COMPLETED');
    await rig.client.resolve('late', 'only', { kind: 'wait' });
    expect(await rig.client.ended('late')).toMatchObject({ state: 'completed' });
    expect(rig.sandbox.tasks()).toHaveLength(1);
  });
});
