import { type WorkflowHandle } from '@temporalio/client';
import { createLatestTakeLine } from '../../client/temporal/latest-take';
import { type Decision } from '../../contracts/render/decision';
import { type Review } from '../../contracts/render/directing';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import {
  arbiterWorkflowId,
  assembleWorkflowId,
  batchWorkflowId,
  GENERATIONS,
  generateWorkflowId,
  latestTakeWorkflowId,
  productionWorkflowId,
  shotWorkflowId,
} from '../../contracts/identifiers';
import { type LimitSet } from '../../contracts/gateway/limits';
import { type ShotState } from '../../contracts/states';
import { type PlannedShot, type ProductionPlan } from '../../contracts/render/plan';
import { workflowQueue } from '../../contracts/task-queues';
import { accountHash } from '../../store';
import { approveShotUpdate, reviseProductionUpdate } from '../../workflows/messages';
import { batchEnded, clipRow, startRows, textRows } from '../support/batches';
import { basisOf, betaShot, film, linkedShot, pictureShot, planOf, type Rig, shotsBy } from '../support/rig';
import { type HookReceiver, startReceiver } from '../support/hook-receiver';
import { wantedIn } from '../support/ready-by';
import { until } from '../support/until';
import { type Scene, SCHEDULED_SCENES } from './scheduled-scenes';

/**
 * Every course of the workflows that leaves a history of another shape.
 *
 * MAINTENANCE: a workflow that learns something new gets a scene for it, and the scene is recorded (`npm run
 * record-histories`).
 */
export const SCENES: Readonly<Record<string, Scene>> = {
  ...SCHEDULED_SCENES,
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
  'told-and-ended': (rig, name) =>
    told(rig, name, async (receiver) => {
      await until(() => receiver.told().length > 0);
      await rig.client.resolve(name, 'a', { kind: 'resubmit' });
    }),
  'told-in-vain': (rig, name) =>
    told(
      rig,
      name,
      async () => {
        await parked(rig, name);
        await rig.client.resolve(name, 'a', { kind: 'resubmit' });
      },
      (response) => response.writeHead(410).end(),
    ),
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
  'takes-side-by-side': (rig, name) => {
    const shots = [betaShot('a'), linkedShot('a2', 'a')];
    return played(rig, film(name, shots), {}, { takes: 2 });
  },
  'takes-rendered-again': async (rig, name) => {
    const production = film(name, [pictureShot('a')]);
    await played(rig, production, {}, { takes: 2 });
    return played(rig, production, {}, { takes: 2, directed: true });
  },
  'one-take-fails': (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    return played(rig, film(name, [pictureShot('a')]), {}, { takes: 2 });
  },
  'all-takes-parked': async (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 2 });
    const root = await begun(rig, film(name, [pictureShot('a')]), {}, { takes: 2, mode: 'execute' });
    await parked(rig, name);
    await rig.client.resolve(name, 'a', { kind: 'resubmit' }, 2);
    return ended(rig, root, name);
  },
  'passed-over': (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    return played(rig, film(name, [pictureShot('a'), pictureShot('b')]), {}, { onFailure: 'skip' });
  },
  'reviewed-and-approved': async (rig, name) => {
    const root = await begun(rig, film(name, [pictureShot('a')]), {}, { takes: 2, review: UNTIL_ANSWERED });
    await until(async () => (await rig.client.status(name))?.shots[0]?.review?.takesUnderWay === 0);
    await shotOf(rig, name).executeUpdate(approveShotUpdate, { args: [{ take: 2 }] });
    return ended(rig, root, name);
  },
  'reviewed-by-default': (rig, name) =>
    played(rig, film(name, [pictureShot('a')]), {}, { review: { withinSeconds: 1, otherwise: 'approve' } }),
  'not-approved-in-time': (rig, name) =>
    played(rig, film(name, [pictureShot('a')]), {}, { review: { withinSeconds: 1, otherwise: 'skip' } }),
  'cancelled-in-review': async (rig, name) => {
    const root = await begun(rig, film(name, [pictureShot('a')]), {}, { review: UNTIL_ANSWERED });
    await inState(rig, name, 'review');
    await rig.client.cancel(name);
    return ended(rig, root, name);
  },
  'revised-in-review': async (rig, name) => {
    const root = await begun(rig, film(name, [betaShot('a'), linkedShot('a2', 'a')]), {}, { review: UNTIL_ANSWERED });
    await inState(rig, name, 'review');
    await revised(rig, film(name, [betaShot('a', { variant: 1 }), linkedShot('a2', 'a')]));
    return ended(rig, root, name);
  },
  'revised-under-way': async (rig, name) => {
    const before = rig.sandbox.tasks().length;
    const root = await begun(rig, film(name, [betaShot('a'), linkedShot('a2', 'a'), pictureShot('b')]));
    await until(() => rig.sandbox.tasks().length > before + 1);
    await revised(rig, film(name, [betaShot('a', { variant: 1 }), linkedShot('a2', 'a'), pictureShot('c')]));
    return ended(rig, root, name);
  },
  'revised-while-assembled': async (rig, name) => {
    const root = await begun(rig, film(name, [betaShot('a'), betaShot('b')]));
    await until(async () => (await rig.client.status(name))?.assembly === 'running');
    await revised(rig, film(name, [betaShot('b')]));
    return ended(rig, root, name);
  },
  'budget-raised': async (rig, name) => {
    const shots = [pictureShot('a'), pictureShot('b'), pictureShot('c')];
    const root = await begun(rig, film(name, shots), { budget: { credits: 4 } });
    await inState(rig, name, 'parked', 'c');
    await rig.client.setBudget(name, 100);
    return ended(rig, root, name);
  },
  'budget-left-out': async (rig, name) => {
    const root = await begun(rig, film(name, [pictureShot('a')]), { budget: { credits: 0 } });
    await parked(rig, name);
    await rig.client.resolve(name, 'a', { kind: 'skip' });
    return ended(rig, root, name);
  },
  'budget-and-further-takes': (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    return played(rig, film(name, [pictureShot('a')]), { budget: { credits: 100 } }, { takes: 2, retryFailed: 1 });
  },
  'waits-for-its-turn': (rig, name) => inTurn(rig, name),
  arbiter: async (rig, name) => {
    await inTurn(rig, name);
    return arbiterWorkflowId(workflowQueue({ account: accountHash('sandbox'), storeId: rig.store.id }));
  },
  'latest-take': async (rig, name) => {
    const options = { temporal: rig.temporal.client, store: rig.store, account: 'sandbox' };
    const line = createLatestTakeLine(options);
    for (const shotId of ['a', 'b']) {
      await line.note({ productionId: name, shotId, takeKey: 'a hash', at: '2026-11-24T00:00:00.000Z' });
      await until(async () => (await line.read())?.shotId === shotId);
    }
    return latestTakeWorkflowId(workflowQueue({ account: accountHash('sandbox'), storeId: rig.store.id }));
  },
  'ready-by-and-its-fallback': async (rig, name) => {
    await timesNoted(rig);
    const production = film(
      name,
      ['a', 'b'].map((id) => betaShot(id, { parameters: { prompt: id, duration: 5, resolution: '480p' } })),
    );
    // One shot is being sent; the other waits for its turn and stands down.
    rig.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds: 5 });
    await limited(rig, { inFlight: 1 });
    await begun(rig, production, await wantedIn(3_600, production, rig.store, { assemble: false }));
    await until(async () => (await rig.client.arbiter.view())?.waiting.length === 1);
    // The margin alone puts it past every last moment.
    const plan = planOf(production, await wantedIn(9, production, rig.store, { assemble: false }));
    const wanted = { productionId: name, production: await rig.store.putJson(production), plan };
    await rig.client.direct(wanted, []);
    const root = await ended(rig, productionWorkflowId(rig.store.id, name), name);
    await limited(rig, {});
    return root;
  },
  'still-with-a-written-prompt': (rig, name) => {
    const written = betaShot('a', {
      model: { id: 'quill-text-1', output: 'text' },
      parameters: { prompt: 'a line for a picture of a quay' },
    });
    const still = pictureShot('b', { parameters: {}, texts: { prompt: { shot: 'a' } } });
    const clip = betaShot('c', { files: { startFrame: { kind: 'link', shot: 'b', frame: 'whole' } } });
    const production = film(name, [written, still, clip]);
    const [text, ...others] = planOf(production).shots;
    if (text === undefined) throw new Error('the plan has no shot');
    return played(rig, production, { shots: [{ ...text, mode: 'execute' }, ...others] });
  },
  'batch-and-its-fallback': async (rig, name) => {
    await timesNoted(rig);
    // One is being sent at the last moment, one waits for its turn and stands down, and one begins behind it.
    rig.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds: 8 });
    await limited(rig, { inFlight: 1 });
    const readyBy = new Date(Date.now() + 15_000).toISOString();
    const rows = ['a', 'b', 'c'].map((key) => clipRow(key, { prompt: `${name}, ${key}` }));
    await startRows(rig, name, rows, { parallel: 2, time: { readyBy, fallback: { duration: 4 } } });
    await batchEnded(rig, name);
    await limited(rig, {});
    return batchWorkflowId(rig.store.id, name);
  },
  'batch-in-two-runs': async (rig, name) => {
    // A row that fails, and one that is parked, which the second run finds under way.
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await startRows(rig, name, textRows(5), { parallel: 1 });
    await batchEnded(rig, name);
    await startRows(rig, name, textRows(5), { parallel: 2 });
    await batchEnded(rig, name);
    return batchWorkflowId(rig.store.id, name);
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

/** Records how long clips take, so that readyBy cannot be met. */
async function timesNoted({ store }: Rig): Promise<void> {
  const times = store.account('sandbox').usualTimes;
  for (let task = 0; task < 3; task += 1) await times.note('beta-2.5', 100);
}

type Rules = Partial<PlannedShot>;

const UNTIL_ANSWERED: Review = { withinSeconds: null, otherwise: 'approve' };

function shotOf(rig: Rig, name: string): WorkflowHandle {
  return rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, name, 'a'));
}

/** Revises the production to a version without reviews. */
async function revised(rig: Rig, production: FrozenProduction): Promise<void> {
  const { id } = production;
  const [frozen, plan] = [await rig.store.putJson(production), planOf(production)];
  const revision = { productionId: id, production: frozen, plan, basis: await basisOf(rig.store, frozen, plan) };
  const handle = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, id));
  await handle.executeUpdate(reviseProductionUpdate, { args: [{ ...revision, again: [] }] });
}

/** One task at a time, of three. Removes the limit afterwards, for the following scenes. */
async function inTurn(rig: Rig, name: string): Promise<string> {
  await limited(rig, { inFlight: 1 });
  const root = await played(
    rig,
    film(
      name,
      ['a', 'b', 'c'].map((id) => pictureShot(id)),
    ),
    { assemble: false },
  );
  await limited(rig, {});
  return root;
}

async function limited(rig: Rig, account: LimitSet): Promise<void> {
  await rig.store.account('sandbox').limits.change(() => ({ account, models: {} }));
  await rig.client.arbiter.limitsChanged();
}

async function begun(
  rig: Rig,
  production: FrozenProduction,
  plan: Partial<ProductionPlan> = {},
  rules: Rules = {},
): Promise<string> {
  const shots = shotsBy(rules, production);
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

/** A production whose shot parks and continues, with a receiver of its notices. Ends when all outcomes are recorded. */
async function told(
  rig: Rig,
  name: string,
  answer: (receiver: HookReceiver) => Promise<void>,
  ...posts: Parameters<typeof startReceiver>
): Promise<string> {
  rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
  const receiver = await startReceiver(...posts);
  const { notices } = rig.store;
  const notify = { target: await notices.putTarget(receiver.url) };
  const root = await begun(rig, film(name, [pictureShot('a')]), { assemble: false, notify });
  await answer(receiver);
  const { renderId } = await rig.client.ended(name);
  await until(async () => {
    const noted = await notices.list({ kind: 'production', id: name, renderId });
    return noted.some(({ type }) => type === 'production.completed') && noted.every(({ state }) => state !== 'trying');
  });
  const { workflow } = rig.temporal.client;
  await until(async () => {
    for await (const { workflowId } of workflow.list({
      query: 'WorkflowType = "notice" AND ExecutionStatus = "Running"',
    })) {
      if (workflowId !== '') return false;
    }
    return true;
  });
  await receiver.close();
  return root;
}

/** Waits until a shot is in a state; most scenes that park do it at `a`. */
async function inState(rig: Rig, name: string, state: ShotState, shotId = 'a'): Promise<void> {
  await until(async () => {
    const status = await rig.client.status(name);
    return status?.shots.some((shot) => shot.id === shotId && shot.state === state);
  });
}

const parked = (rig: Rig, name: string): Promise<void> => inState(rig, name, 'parked');

type Injection = Parameters<Rig['sandbox']['faults']['inject']>[0];

/** A production of one shot whose first submit or task meets a fault, parks, and continues as decided. */
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
