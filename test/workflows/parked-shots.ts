import { type Decision } from '../../contracts/render/decision';
import { type PlannedShot } from '../../contracts/render/plan';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { film, type Rig, shotsBy, startRig } from '../support/rig';
import { until } from '../support/until';

/** Shots that wait for a person. Each test file that imports this module starts its own rig. */
export let rig: Rig;

beforeAll(async () => {
  rig = await startRig();
});

afterAll(async () => {
  await rig.close();
});

afterEach(() => {
  rig.sandbox.faults.clear();
});

export const accepted = (): number => rig.sandbox.tasks().length;

/** Starts a production of these shots with other rules than the usual ones. */
export async function start(
  id: string,
  shots: Parameters<typeof film>[1],
  rules: Partial<PlannedShot> = {},
): Promise<void> {
  const one = film(id, shots);
  await rig.start(one, { shots: shotsBy(rules, one), assemble: shots.length > 1 });
}

export async function parked(id: string, shotId: string): Promise<ShotStatus> {
  return until(async () => {
    const shots = (await rig.client.status(id))?.shots ?? [];
    return shots.find((shot) => shot.id === shotId && shot.state === 'parked');
  });
}

export async function resolve(id: string, shotId: string, decision: Decision): Promise<void> {
  await rig.client.resolve(id, shotId, decision);
}

export const ended = (id: string): Promise<ProductionStatus> => rig.client.ended(id);
