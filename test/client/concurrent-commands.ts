import { knownProduction, type Proposal, proposeRetake } from '../../client/directing';
import { readFrozen } from '../../client/records/read-frozen';
import { type RenderRequest } from '../../client';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type PlannedShot } from '../../contracts/render/plan';
import { type ProductionStatus } from '../../contracts/status';
import { planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

export const ACCOUNT = 'sandbox';

export const REVIEWED = { review: { withinSeconds: null, otherwise: 'approve' as const } };

/** Commands of several people to one production. Each test file that imports this module starts its own rig. */
export let rig: Rig;

beforeAll(async () => {
  rig = await startRig({ renderSeconds: 1 });
});

afterAll(() => rig.close());

afterEach(() => {
  rig.sandbox.faults.clear();
});

export async function requestFor(
  production: FrozenProduction,
  rules: Partial<PlannedShot> = {},
): Promise<RenderRequest> {
  const plan = planOf(production, { assemble: false });
  const shots = plan.shots.map((shot) => ({ ...shot, ...rules }));
  return { productionId: production.id, production: await rig.store.putJson(production), plan: { ...plan, shots } };
}

export async function proposed(id: string, shotId: string, prompt = `better ${shotId}`): Promise<Proposal> {
  const quotes = rig.store.account(ACCOUNT).quotes({});
  const policy = { fileValues: 'auto' as const, dataUriMaxBytes: 20_000_000 };
  const known = await knownProduction(rig.store, ACCOUNT, id);
  const context = { store: rig.store, account: ACCOUNT, quotes, policy };
  const proposal = await proposeRetake(context, known, shotId, { prompt });
  if ('issues' in proposal) throw new Error(JSON.stringify(proposal.issues));
  return proposal;
}

export async function carryOut(proposal: Proposal): Promise<{ readonly revised: boolean }> {
  return rig.client.direct(await proposal.change(), proposal.again);
}

export async function statusWhen(id: string, isSo: (status: ProductionStatus) => boolean): Promise<ProductionStatus> {
  return until(async () => {
    const status = await rig.client.status(id);
    return status !== undefined && isSo(status) && status;
  });
}

export const inReview = ({ shots }: ProductionStatus): boolean => shots.every(({ state }) => state === 'review');

export const direction = (id: string, shot: string): Promise<unknown> => rig.store.directing.direction(id, shot);

export async function prompts({ frozen }: ProductionStatus): Promise<readonly unknown[]> {
  return (await readFrozen(rig.store.assets, frozen)).shots.map(({ parameters }) => parameters['prompt']);
}

export async function approveAll(id: string): Promise<ProductionStatus> {
  const { shots } = await statusWhen(id, inReview);
  for (const shot of shots) await rig.client.approve(id, shot.id, null);
  return rig.client.ended(id);
}
