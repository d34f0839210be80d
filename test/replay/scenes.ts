import { type Decision } from '../../contracts/decision';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { assembleWorkflowId, GENERATIONS, generateWorkflowId, productionWorkflowId } from '../../contracts/identifiers';
import { type ShotState } from '../../contracts/manifest';
import { type PlannedShot, type ProductionPlan } from '../../contracts/plan';
import { betaShot, film, linkedShot, planOf, type Rig } from '../support/rig';
import { until } from '../support/until';

/**
 * Plays one course that productions and tasks can take, to its end.
 *
 * @param name names the production, or the task.
 * @returns the id of the workflow at its root.
 */
export type Scene = (rig: Rig, name: string) => Promise<string>;

/**
 * Every course of the workflows that leaves a history of another shape.
 *
 * MAINTENANCE: a workflow that learns something new gets a scene for it, and the scene is recorded (`npm run
 * record-histories`).
 */
export const SCENES: Readonly<Record<string, Scene>> = {
  'chains-and-a-film': async (rig, name) => {
    const shots = [betaShot('a'), linkedShot('a2', 'a'), betaShot('b'), betaShot('c')];
    return played(rig, film(name, shots), { maxInFlight: 2 });
  },
  'film-of-what-there-is': async (rig, name) => {
    const production = film(name, [betaShot('a')]);
    const { frozen, shots } = await rig.render(production, { assemble: false });
    const asset = shots[0]?.takes[0]?.asset;
    if (asset == null) throw new Error('the scene has no clip');
    await rig.client.assemble({
      input: { production: frozen, clips: [{ shotId: 'a', asset }] },
      key: name,
      missing: [],
    });
    return assembleWorkflowId(rig.store.id, name);
  },
  'no-film': (rig, name) => played(rig, film(name, [betaShot('a')]), { assemble: false }),
  'rendered-again': async (rig, name) => {
    const production = film(name, [betaShot('a'), linkedShot('a2', 'a')]);
    await played(rig, production);
    return played(rig, production);
  },
  'cancelled-under-way': async (rig, name) => {
    const before = rig.sandbox.tasks().length;
    const root = await begun(rig, film(name, [betaShot('a'), linkedShot('a2', 'a'), betaShot('b')]), {
      maxInFlight: 1,
    });
    await until(() => rig.sandbox.tasks().length > before);
    await rig.client.cancel(name);
    return ended(rig, root, name);
  },
  'cancelled-while-parked': async (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const root = await begun(rig, film(name, [betaShot('a')]), {}, { retryFailed: 1 });
    await parked(rig, name);
    await rig.client.cancel(name);
    return ended(rig, root, name);
  },
  'refused-and-blocked': (rig, name) => {
    const refused = betaShot('a', { model: { id: 'no-such-model', output: 'video' } });
    return played(rig, film(name, [refused, linkedShot('a2', 'a'), betaShot('b')]));
  },
  'throttled-and-down': (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'refuse-429', on: 'submit', count: 1 });
    rig.sandbox.faults.inject({ kind: 'refuse-503-retry-after', on: 'submit', count: 1 });
    return played(rig, film(name, [betaShot('a')]), { assemble: false });
  },
  'unclear-adopted': async (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    const root = await begun(rig, film(name, [betaShot('a'), linkedShot('a2', 'a')]));
    await parked(rig, name);
    await expect(rig.client.resolve(name, 'a', { kind: 'adopt', taskId: 'nobody' })).rejects.toThrow();
    await rig.client.resolve(name, 'a', { kind: 'adopt', taskId: rig.sandbox.tasks().at(-1)?.id ?? '' });
    return ended(rig, root, name);
  },
  'unclear-resubmitted': (rig, name) => parkedAs(rig, name, { kind: 'accept-504' }, { kind: 'resubmit' }),
  'unclear-skipped': (rig, name) => parkedAs(rig, name, { kind: 'accept-500' }, { kind: 'skip' }),
  'unclear-resubmitted-by-policy': (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    return played(rig, film(name, [betaShot('a')]), { assemble: false }, { onUnclear: 'resubmit' });
  },
  'clip-of-ones-own': async (rig, name) => {
    const source = await rig.render(film(`${name}-source`, [betaShot('a')]), { assemble: false });
    const asset = source.shots[0]?.takes[0]?.asset;
    if (asset == null) throw new Error('no clip to use');
    return parkedAs(rig, name, { kind: 'accept-500' }, { kind: 'use', asset });
  },
  'no-credits': (rig, name) => parkedAs(rig, name, { kind: 'refuse-402', on: 'submit' }, { kind: 'resubmit' }),
  'failed-and-retried': (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    return played(rig, film(name, [betaShot('a')]), { assemble: false }, { retryFailed: 1 });
  },
  'failed-for-its-content': (rig, name) => parkedAs(rig, name, { kind: 'task-content-policy' }, { kind: 'resubmit' }),
  'overdue-awaited-and-resubmitted': async (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    const root = await begun(rig, film(name, [betaShot('a')]), { assemble: false }, { deadlineSeconds: 8 });
    await parked(rig, name);
    await rig.client.resolve(name, 'a', { kind: 'wait' });
    await inState(rig, name, 'rendering');
    await parked(rig, name);
    await rig.client.resolve(name, 'a', { kind: 'resubmit' });
    return ended(rig, root, name);
  },
  'output-of-another-kind': (rig, name) => {
    const picture = betaShot('a', {
      model: { id: 'pixel-image-1', output: 'video' },
      parameters: { prompt: 'a quay' },
    });
    return played(rig, film(name, [picture]));
  },
  'picture-by-itself': (rig, name) =>
    generated(rig, name, { model: { id: 'pixel-image-1', output: 'image' }, parameters: { prompt: 'a quay' } }),
  'clip-by-itself': (rig, name) => generated(rig, name, {}),
  'text-by-execute': (rig, name) =>
    generated(
      rig,
      name,
      { model: { id: 'quill-text-1', output: 'text' }, parameters: { prompt: 'a quay' } },
      'execute',
    ),
  'refused-by-itself': (rig, name) => generated(rig, name, { model: { id: 'no-such-model', output: 'image' } }),
  'parked-by-itself': async (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    const root = await generated(rig, name, {});
    await rig.client.resolve(GENERATIONS, name, { kind: 'skip' });
    await rig.temporal.client.workflow.getHandle(root).result();
    return root;
  },
};

type Rules = Partial<PlannedShot>;

async function begun(
  rig: Rig,
  production: FrozenProduction,
  plan: Partial<ProductionPlan> = {},
  rules: Rules = {},
): Promise<string> {
  const shots = planOf(production).shots.map((shot) => ({ ...shot, ...rules }));
  await rig.start(production, { shots, ...plan });
  return productionWorkflowId(rig.store.id, production.id);
}

async function ended(rig: Rig, root: string, name: string): Promise<string> {
  await rig.client.ended(name);
  return root;
}

async function played(
  rig: Rig,
  production: FrozenProduction,
  plan: Partial<ProductionPlan> = {},
  rules: Rules = {},
): Promise<string> {
  return ended(rig, await begun(rig, production, plan, rules), production.id);
}

/** Waits until shot `a` is in a state; every scene that parks does it there. */
async function inState(rig: Rig, name: string, state: ShotState): Promise<void> {
  await until(async () => {
    const status = await rig.client.status(name);
    return status?.shots.some((shot) => shot.id === 'a' && shot.state === state);
  });
}

const parked = (rig: Rig, name: string): Promise<void> => inState(rig, name, 'parked');

type Injection = Parameters<Rig['sandbox']['faults']['inject']>[0];

/** A production of one shot whose first submit or task meets a fault, parks, and goes on as decided. */
async function parkedAs(rig: Rig, name: string, fault: Injection, decision: Decision): Promise<string> {
  rig.sandbox.faults.inject({ ...fault, count: 1 });
  const root = await begun(rig, film(name, [betaShot('a')]));
  await parked(rig, name);
  await rig.client.resolve(name, 'a', decision);
  return ended(rig, root, name);
}

/** One task by itself; returns when it has ended or is parked. */
async function generated(
  rig: Rig,
  name: string,
  changes: Partial<FrozenShot>,
  mode: 'submit' | 'execute' = 'submit',
): Promise<string> {
  const one: FrozenProduction = { version: 1, id: GENERATIONS, title: name, shots: [betaShot(name, changes)] };
  const [shot] = planOf(one).shots;
  if (shot === undefined) throw new Error('the plan has no shot');
  await rig.client.generate({ generationId: name, production: await rig.store.putJson(one), shot, mode });
  return generateWorkflowId(rig.store.id, name);
}
