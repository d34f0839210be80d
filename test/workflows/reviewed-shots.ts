import { WorkflowUpdateFailedError } from '@temporalio/client';
import { shotWorkflowId } from '../../contracts/identifiers';
import { type Review } from '../../contracts/render/directing';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type PlannedShot } from '../../contracts/render/plan';
import { type ShotStatus } from '../../contracts/status';
import { approveShotUpdate } from '../../workflows/messages';
import { type Rig, shotsBy, startRig } from '../support/rig';
import { until } from '../support/until';

export const FOR_EVER: Review = { withinSeconds: null, otherwise: 'approve' };

/** Shots that a person reviews. Each test file that imports this module starts its own rig. */
export let rig: Rig;

beforeAll(async () => {
  rig = await startRig();
});

afterAll(() => rig.close());

afterEach(() => {
  rig.sandbox.faults.clear();
});

export async function start(production: FrozenProduction, rules: Partial<PlannedShot>): Promise<void> {
  await rig.start(production, { shots: shotsBy(rules, production) });
}

export async function inState(id: string, shotId: string, state: ShotStatus['state']): Promise<ShotStatus> {
  return until(async () => {
    const { shots = [] } = (await rig.client.status(id)) ?? {};
    return shots.find((shot) => shot.id === shotId && shot.state === state);
  });
}

export function approve(id: string, shotId: string, take: number | null = null): Promise<number> {
  const handle = rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, id, shotId));
  return handle.executeUpdate(approveShotUpdate, { args: [{ take }] }).catch((error: unknown) => {
    throw error instanceof WorkflowUpdateFailedError ? new Error(error.cause?.message) : error;
  });
}
