import { type ProductionStatus } from '../../contracts/status';
import { betaShot, film, type Rig, startRig } from '../support/rig';

describe('the deadline of a task', () => {
  let rig: Rig;

  beforeAll(async () => {
    // Far longer than any deadline here, with reads that are more than 3 s apart.
    rig = await startRig({ renderSeconds: 25 }, { pollFloorMs: 4_000 });
  });

  afterAll(async () => {
    await rig.close();
  });

  async function renderWithin(id: string, deadlineSeconds: number): Promise<ProductionStatus> {
    const one = film(id, [betaShot('only')]);
    const shots = [{ id: 'only', model: 'beta-2.5', output: 'video' as const, links: [], deadlineSeconds }];
    return rig.render(one, { shots, assemble: false });
  }

  it('parks a task that is still pending then, with its id, and collects it in a later render', async () => {
    const status = await renderWithin('late', 6);
    expect(status.shots[0]).toMatchObject({ state: 'parked', reason: expect.stringContaining('within 6 s') });
    expect(status.shots[0]?.takes[0]?.taskId).toBe(rig.sandbox.tasks()[0]?.id);
    const later = await renderWithin('late', 60);
    expect(later.shots[0]).toMatchObject({ state: 'completed' });
    expect(rig.sandbox.tasks()).toHaveLength(1);
  });
});
