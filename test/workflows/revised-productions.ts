import { WorkflowUpdateFailedError } from '@temporalio/client';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type PlannedShot } from '../../contracts/render/plan';
import { type ProductionStatus } from '../../contracts/status';
import { type Revision } from '../../contracts/workflows';
import { type FolderStore, wrapAssets } from '../../store';
import { reviseProductionUpdate } from '../../workflows/messages';
import { basisOf, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

type Rules = Readonly<Record<string, Partial<PlannedShot>>>;

/** Running productions that get another version of their file. Each importing test file starts its own rig. */
export let rig: Rig;

/** While this is set, no film is assembled. */
let scissors: Promise<void> | undefined;

let giveBack = (): void => undefined;

export function takeScissors(): void {
  scissors = new Promise<void>((resolve) => (giveBack = resolve));
}

export function giveScissorsBack(): void {
  scissors = undefined;
  giveBack();
}

function withScissors(store: FolderStore): FolderStore {
  const create: FolderStore['assets']['create'] = async (...args) => {
    if (args[0] === 'film') await scissors;
    return store.assets.create(...args);
  };
  return { ...store, assets: wrapAssets(store.assets, { create }) };
}

beforeAll(async () => {
  rig = await startRig({}, { through: withScissors });
});

afterAll(() => rig.close());

afterEach(() => {
  rig.sandbox.faults.clear();
  giveScissorsBack();
});

export const accepted = (): number => rig.sandbox.tasks().length;

const planned = (production: FrozenProduction, rules: Rules): readonly PlannedShot[] =>
  planOf(production).shots.map((shot) => ({ ...shot, ...rules[shot.id] }));

export async function start(production: FrozenProduction, rules: Rules = {}): Promise<void> {
  await rig.start(production, { shots: planned(production, rules) });
}

export async function revise(
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

export async function statusWhen(id: string, isSo: (status: ProductionStatus) => boolean): Promise<ProductionStatus> {
  return until(async () => {
    const status = await rig.client.status(id);
    return status !== undefined && isSo(status) && status;
  });
}

export const long = { duration: 8, resolution: '480p', colorDepth: '8bit' };
