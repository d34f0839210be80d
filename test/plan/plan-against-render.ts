import { waitsForPeople } from '../../client';
import { planRender } from '../../client/plan';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type PlannedShot } from '../../contracts/render/plan';
import { type RenderPlan, type ShotAction, type ShotPlan } from '../../contracts/render/render-plan';
import { type ShotState } from '../../contracts/states';
import { type ProductionStatus } from '../../contracts/status';
import { type Injection } from '../../sandbox/faults/injection';
import { betaShot, film, linkedShot, type Rig, shotsBy, startRig } from '../support/rig';
import { until } from '../support/until';

export type Rules = Partial<Omit<PlannedShot, 'id' | 'links'>>;

/** The state that a render should leave a shot in according to its plan, if the gateway has no further faults. */
const LEAVES: Readonly<Record<ShotAction, ShotState>> = {
  reused: 'completed',
  collected: 'completed',
  new: 'completed',
  changed: 'completed',
  stale: 'completed',
  again: 'completed',
  waits: 'parked',
  skipped: 'skipped',
  failed: 'failed',
  blocked: 'blocked',
};

/** Compares a render with its plan. Each test file that imports this module starts its own rig. */
export let rig: Rig;

beforeAll(async () => {
  rig = await startRig();
});

afterAll(() => rig.close());

afterEach(() => {
  rig.sandbox.faults.clear();
});

/** Renders until only a person can continue it. */
export async function render(production: FrozenProduction, rules: Rules = {}): Promise<ProductionStatus> {
  await rig.start(production, { shots: shotsBy(rules, production), maxInFlight: 1 });
  const status = await until(async () => {
    const now = await rig.client.status(production.id);
    return now !== undefined && (now.state !== 'running' || waitsForPeople(now)) && now;
  });
  // Its workflow still archives that status; until then another render would join it.
  return waitsForPeople(status) ? status : rig.client.ended(production.id);
}

/** The same, with a fault that strikes the first shot. */
export async function park(production: FrozenProduction, fault: Injection, rules: Rules = {}): Promise<void> {
  rig.sandbox.faults.inject(fault);
  expect((await render(production, rules)).shots[0]).toMatchObject({ state: 'parked' });
}

export async function cancel({ id }: FrozenProduction): Promise<void> {
  await rig.client.cancel(id);
  await rig.client.ended(id);
}

function plan(production: FrozenProduction, rules: Rules = {}): Promise<RenderPlan> {
  const { store } = rig;
  const quotes = store.account('sandbox').quotes({});
  return planRender({ store, account: 'sandbox', quotes, production, shots: shotsBy(rules, production) });
}

async function sendings({ id, shots }: FrozenProduction): Promise<Record<string, number>> {
  const counted = shots.map(async (shot) => {
    const takes = await rig.store.ledger.takes(id, shot.id);
    return [shot.id, takes.reduce((sum, take) => sum + take.sendings.length, 0)] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

/** Plans, then renders, and compares the two: what is sent, how each shot ends, and the film. */
export async function keepsItsPlan(
  production: FrozenProduction,
  expected: Readonly<Record<string, ShotAction>>,
  rules: Rules = {},
  leaves: Partial<Record<string, ShotState>> = {},
): Promise<RenderPlan> {
  const planned = await plan(production, rules);
  expect(Object.fromEntries(planned.shots.map(({ shot, action }) => [shot, action]))).toEqual(expected);
  const [before, filmBefore] = [await sendings(production), (await rig.client.status(production.id))?.film];
  const status = await render(production, rules);
  const after = await sendings(production);

  for (const one of planned.shots) {
    const { shot, quote, heldBy } = one;
    expect([shot, after[shot]! - before[shot]!]).toEqual([shot, quote !== null && heldBy.length === 0 ? 1 : 0]);
    expect([shot, stateOf(status, one)]).toEqual([shot, leaves[shot] ?? expectedState(one)]);
  }
  if (planned.film.action === 'reused') expect(status.film).toEqual(filmBefore);
  const isToCome = planned.film.action === 'anew' && !waitsForPeople(status);
  expect(status.film !== null).toBe(isToCome || planned.film.action === 'reused');
  return planned;
}

export const pair = (id: string): FrozenProduction => film(id, [betaShot('one'), linkedShot('after', 'one')]);

function stateOf({ shots }: ProductionStatus, { shot }: ShotPlan): ShotState | undefined {
  return shots.find(({ id }) => id === shot)?.state;
}

function expectedState({ action, heldBy }: ShotPlan): ShotState {
  return heldBy.length > 0 ? 'pending' : LEAVES[action];
}
