import { batchWorkflowId, productionWorkflowId, scheduledRunWorkflowId } from '../../contracts/identifiers';
import { type Rig } from '../support/rig';
import { template, untilEnded } from '../support/scheduled';
import { until } from '../support/until';

/**
 * Plays one course that productions and tasks can take, to its end.
 *
 * @param name names the production, or the task.
 * @returns the id of the workflow at its root.
 */
export type Scene = (rig: Rig, name: string) => Promise<string>;

/** A time of a rare schedule. */
const TIME = '2020-01-09T00:00:00Z';

/** Scenes of workflows that schedules start. */
export const SCHEDULED_SCENES: Readonly<Record<string, Scene>> = {
  scheduled: async (rig, name) => {
    const root = await scheduled(rig, name);
    await ended(rig, root);
    return root;
  },
  'scheduled-and-begun-again': async (rig, name) => {
    const root = await scheduled(rig, name);
    await ended(rig, root);
    await untilEnded(rig.store, name, 1);
    await rig.client.schedules.backfill(name, { from: TIME, to: TIME });
    await until(async () => (await ended(rig, root)) === 'had');
    return root;
  },
  'scheduled-and-parked': async (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    const root = await scheduled(rig, name);
    await ended(rig, root);
    await rig.client.resolve(runOf(name), 'a', { kind: 'skip' });
    await rig.client.ended(runOf(name));
    return root;
  },
  'scheduled-and-cancelled': async (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds: 3 });
    const before = rig.sandbox.tasks().length;
    const root = await scheduled(rig, name);
    await until(() => rig.sandbox.tasks().length > before);
    await rig.temporal.client.workflow.getHandle(root).cancel();
    await ended(rig, root);
    return root;
  },
  'scheduled-batch': async (rig, name) => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    const rows = { models: { 'quill-text-1': { output: 'text', quick: false } }, generations: ROWS };
    const root = await begin(rig, name, JSON.stringify(rows), batchWorkflowId(rig.store.id, runOf(name)));
    await ended(rig, root);
    return root;
  },
};

const ROWS = ['a', 'b'].map((key) => ({ key, model: 'quill-text-1', prompt: 'a sign for {{date}}' }));

function runOf(name: string): string {
  return `${name}-20200109T000000Z`;
}

/** Starts the run of a time. */
function scheduled(rig: Rig, name: string): Promise<string> {
  return begin(rig, name, undefined, productionWorkflowId(rig.store.id, runOf(name)));
}

/** @param begins the workflow that shows that it has. */
async function begin(rig: Rig, name: string, file: string | undefined, begins: string): Promise<string> {
  await rig.client.schedules.create(name, { every: '30d', template: await template(file) });
  await rig.client.schedules.backfill(name, { from: TIME, to: TIME });
  const begun = rig.temporal.client.workflow.getHandle(begins);
  await until(() =>
    begun.describe().then(
      () => true,
      () => false,
    ),
  );
  return `${scheduledRunWorkflowId(rig.store.id, name)}-${TIME}`;
}

async function ended(rig: Rig, root: string): Promise<string> {
  const { state } = (await rig.temporal.client.workflow.getHandle(root).result()) as { readonly state: string };
  return state;
}
