import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { batchWorkflowId, productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { isAtRest } from '../../contracts/status';
import { type FaultName } from '../../sandbox/faults/fault-table';
import { type HookReceiver, startReceiver } from '../support/hook-receiver';
import { type Rig } from '../support/rig';
import { runsOf } from '../support/scheduled';
import { until } from '../support/until';
import { type Ended } from './command';

/** What a state is built with. Commands run in `folder`. */
export interface Scene {
  readonly rig: Rig;
  readonly folder: string;
  /** Accepts the notices of all productions and batches. */
  readonly receiver: HookReceiver;
  /** Receivers that refuse a notice, to be closed at the end. */
  readonly refusing: HookReceiver[];
  readonly run: (...args: readonly string[]) => Promise<Ended>;
}

/** Brings a production, batch or schedule into a state, and returns what the command printed that brought it there. */
export type Build = (scene: Scene, id: string) => Promise<Ended>;

type Typed = readonly (readonly string[])[];

/** A state of a production, batch or schedule. */
export interface State {
  readonly build: Build;
  /** How a person looks at it. */
  readonly looks: (id: string) => Typed;
  /** Whether the last command that builds it is refused. */
  readonly isRefused?: boolean;
  /** Whether the contact sheet is of an earlier state. */
  readonly hasOldSheet?: boolean;
  /** Whether a notice is posted in this state. */
  readonly isTold?: boolean;
  /** Commands that are refused in this state; the refusal names another command. */
  readonly refused?: (id: string) => Typed;
  /** Its out folder, relative to the folder where the state is built. */
  readonly out: (id: string) => string;
  /** True if this is the default out folder, which depends on the working directory of the command. */
  readonly isOutDefault?: boolean;
}

/** Placeholder in `looks` for the id of a schedule's newest run. */
export const RUN = 'RUN';

/** A fault then hits the first shot only, and the second one continues. */
const ONE_BY_ONE = 'maxInFlight: 1';

const SLOW_SECONDS = 2;

const RETAKES = ['one', '--prompt', 'Fog.', '--yes', '--no-wait'];

/** Writes a production of two pictures; `first` says more of its first shot. */
export function write(folder: string, id: string, { first = '', head = '', height = 36 } = {}): string {
  const file = join(folder, `${id}.yaml`);
  const text = `
title: Film ${id}
models: { pixel-image-1: { output: image } }
defaults: { model: pixel-image-1, retryFailed: 0 }
${head}
shots:
  - { id: one, prompt: The pier of ${id}., width: 64, height: ${height}${first} }
  - { id: two, prompt: The sea of ${id}., width: 64, height: 36 }
`;
  writeFileSync(file, text);
  return file;
}

/** Writes and renders a production, into a folder of its own. */
const rendered =
  (first?: string, head = ''): Build =>
  async ({ folder, run, receiver }, id) => {
    write(folder, id, { first, head: head.includes('notify') ? head : `${notifying(receiver)}\n${head}` });
    return run('render', `${id}.yaml`, '--out', `films/${id}`);
  };
const notifying = ({ url }: HookReceiver): string => `notify: { url: ${url} }`;
/** The receiver refuses the first notice. */
const noticeLost: Build = async (scene, id) => {
  const receiver = await startReceiver((response) => response.writeHead(410).end());
  scene.refusing.push(receiver);
  const ended = await rendered('', notifying(receiver))(scene, id);
  await until(async () => (await scene.run('status', id)).stderr.includes('is not delivered'));
  return ended;
};
const inDefaultFolder: Build = async ({ folder, run }, id) => {
  write(folder, id, { first: REVIEWED });
  return run('render', `${id}.yaml`);
};
const withFault =
  (kind: FaultName, then: Build, { count = 1, seconds }: { count?: number; seconds?: number } = {}): Build =>
  (scene, id) => {
    const on = kind.startsWith('refuse') ? { on: 'submit' as const } : {};
    scene.rig.sandbox.faults.inject({ kind, count, ...on, ...(seconds === undefined ? {} : { seconds }) });
    return then(scene, id);
  };
const after =
  (build: Build, next: Build): Build =>
  async (scene, id) => {
    const { exitCode, stderr } = await build(scene, id);
    if (exitCode !== 0 && exitCode !== 3) throw new Error(`${id} is not made: ${stderr}`);
    return next(scene, id);
  };
/** Runs a command on the id. */
const runs =
  (...[verb, ...rest]: readonly string[]): Build =>
  ({ run }, id) =>
    verb === 'batch' || verb === 'schedule' ? run(verb, rest[0]!, id, ...rest.slice(1)) : run(verb!, id, ...rest);

/** One task of the account is in flight, and another one waits. */
const queued: Build = async (scene, id) => {
  await scene.run('limits', '--in-flight', '1');
  const retaken = withFault('task-never-ends', runs('retake', ...RETAKES));
  const ended = await after(rendered(', takes: 2, deadline: 20'), retaken)(scene, id);
  await until(async () => (await scene.run('queue')).stdout.includes(`${id}/`));
  return ended;
};

/** Writes a batch of two texts, rendered one by one. */
function writeRows({ folder, receiver }: Scene, file: string, id: string): void {
  const keys = ['ash', 'birch'].map(
    (key) => `  - { key: ${key}, model: quill-text-1, output: text, prompt: ${key} of ${id} }`,
  );
  const text = `generations:\n${keys.join('\n')}\nparallel: 1\n${notifying(receiver)}\n`;
  writeFileSync(join(folder, file), text);
}
const rows =
  (...flags: readonly string[]): Build =>
  async (scene, id) => {
    writeRows(scene, `${id}.yaml`, id);
    return scene.run('batch', `${id}.yaml`, '--out', `lists/${id}`, ...flags);
  };
const filmRows: Build = async ({ folder, run }, id) => {
  const shots = `[{ id: one, model: pixel-image-1, prompt: The pier of ${id}., width: 64, height: 36 }]`;
  const film = `{ id: ash, title: Film ${id}, models: { pixel-image-1: { output: image } }, defaults: { retryFailed: 0 }, shots: ${shots} }`;
  writeFileSync(join(folder, `${id}.yaml`), `productions:\n  - ${film}\n`);
  return run('batch', `${id}.yaml`, '--out', `lists/${id}`);
};
/** The first row takes a while, and the second one waits for it. */
const slowRows = withFault('slow', rows('--no-wait'), { seconds: SLOW_SECONDS });

const create: Build = ({ run }, id) =>
  run('schedule', 'create', id, `${id}-file.yaml`, '--every', '6h', '--out', `nightly/${id}`);
const scheduled =
  (first?: string): Build =>
  async (scene, id) => {
    write(scene.folder, `${id}-file`, { first, head: `${ONE_BY_ONE}\n${notifying(scene.receiver)}` });
    return create(scene, id);
  };
const scheduledRows: Build = async (scene, id) => {
  writeRows(scene, `${id}-file.yaml`, id);
  return create(scene, id);
};
type RunState = 'completed' | 'incomplete' | 'review' | 'parked';
/** Begins a run, and waits until it has come to this state. */
const triggered =
  (schedule: Build, state: RunState, fault?: FaultName): Build =>
  async (scene, id) => {
    const begins = after(schedule, runs('schedule', 'trigger'));
    const begun = await (fault === undefined ? begins : withFault(fault, begins))(scene, id);
    const run = await newestRun(scene.rig, id);
    await until(async () => (await statesOf(scene.rig, run!)).includes(state));
    // Takes side by side complete one after the other.
    await until(async () => {
      const status = await scene.rig.client.status(run!);
      return status === undefined || isAtRest(status);
    });
    return begun;
  };
const runOf = (state: RunState, first?: string, fault?: FaultName): Build => triggered(scheduled(first), state, fault);

/** The states of a production and its shots, or of a batch and its rows. */
async function statesOf({ client }: Rig, id: string): Promise<readonly string[]> {
  const status = await client.status(id);
  if (status !== undefined) return [status.state, ...status.shots.map(({ state }) => state)];
  const report = await client.batches.report(id);
  if (report === undefined) return [];
  const counted = Object.entries(report.counts).flatMap(([state, count]) => (count === 0 ? [] : [state]));
  // A row that has ended does not end its batch.
  return report.state === 'running' ? counted.filter((state) => state === 'parked') : [report.state, ...counted];
}

/** Terminates the workflows of a production and its shots at the server, so that they record no end. */
const terminated: Build = async (scene, id) => {
  const { temporal, store } = scene.rig;
  const { workflow } = temporal.client;
  const of = (await newestRun(scene.rig, id)) ?? id;
  await workflow.getHandle(productionWorkflowId(store.id, of)).terminate();
  const shots = `WorkflowId STARTS_WITH "${shotWorkflowId(store.id, of, '')}" AND ExecutionStatus = "Running"`;
  await until(async () => (await workflow.count(shots)).count === 0);
  return scene.run('status', of);
};
const batchTerminated: Build = async ({ rig: { temporal, store }, run }, id) => {
  await temporal.client.workflow.getHandle(batchWorkflowId(store.id, id)).terminate();
  return run('batch', 'status', id);
};
/** Changes the file's first shot, and runs a command that reads the file. */
const changed =
  (verb: 'render' | 'plan', first: string): Build =>
  ({ folder, run }, id) => {
    write(folder, id, { first });
    return run(verb, `${id}.yaml`);
  };

/** The newest run of a schedule; undefined if there is none. A run has its record a moment before it begins. */
export async function newestRun({ store, client }: Rig, schedule: string): Promise<string | undefined> {
  const run = (await runsOf(store, schedule)).at(-1)?.productionId;
  if (run !== undefined) await until(async () => (await client.status(run)) ?? (await client.batches.report(run)));
  return run;
}

const film = (build: Build, more: Partial<State> = {}): State => ({
  build,
  looks: (id) => [
    ['status', id],
    ['takes', id],
    ['plan', `${id}.yaml`],
    ...(id.includes('unclear') ? [['audit', id]] : []),
    // `ledger` asks no server, and does not know of a terminated workflow.
    ...(/^(cancelled-)?unclear/.test(id) ? [['ledger', id]] : []),
    ...(id.includes('budget') ? [['budget', id]] : []),
  ],
  out: (id) => `films/${id}`,
  ...more,
});
const batch = (build: Build, more: Partial<State> = {}): State => ({
  build,
  looks: (id) => [
    ['batch', 'status', id],
    ['batch', `${id}.yaml`, '--dry-run'],
  ],
  out: (id) => `lists/${id}`,
  ...more,
});
const schedule = (build: Build, more: Partial<State> = {}): State => ({
  build,
  looks: (id) => [
    ['schedule', 'show', id],
    ['schedule', 'list'],
  ],
  out: (id) => `nightly/${id}/`,
  ...more,
});
const run = (build: Build, more: Partial<State> = {}): State =>
  schedule(build, {
    looks: (id) => [
      ['schedule', 'show', id],
      ['schedule', 'list'],
      ['status', RUN],
      ['takes', RUN],
    ],
    ...more,
  });

/** A run that is a batch. */
const runOfRows = (build: Build): State =>
  schedule(build, {
    looks: (id) => [
      ['schedule', 'show', id],
      ['schedule', 'list'],
      ['batch', 'status', RUN],
    ],
    isTold: true,
  });

const REVIEWED = ', review: true, takes: 2';
const TOLD = { isTold: true } as const;
const inReview = rendered(REVIEWED);
const unclear = withFault('accept-500', rendered('', ONE_BY_ONE));
const rowsUnclear = withFault('accept-500', rows());

export const STATES: Readonly<Record<string, State>> = {
  // First: unclear and overdue tasks of other states count as in flight.
  queued: film(queued, { looks: () => [['queue']] }),
  unclear: film(unclear, TOLD),
  'two-takes-unclear': film(withFault('accept-500', rendered(', takes: 2', ONE_BY_ONE), { count: 2 }), TOLD),
  failed: film(withFault('task-fails', rendered('', ONE_BY_ONE)), TOLD),
  'without-credits': film(withFault('refuse-402', rendered(), { count: 2 }), TOLD),
  'over-budget': film(rendered('', `${ONE_BY_ONE}\nbudget: { credits: 4 }`), TOLD),
  'unclear-superseded': film(after(unclear, runs('retake', 'one', '--prompt', 'Fog.', '--yes')), {
    ...TOLD,
    looks: (id) => [
      ['audit', id],
      ['ledger', id],
    ],
  }),
  'unclear-beside': film(withFault('accept-500', rendered(', takes: 2', ONE_BY_ONE)), {
    ...TOLD,
    looks: (id) => [
      ['status', id],
      ['audit', id],
      ['ledger', id],
    ],
  }),
  overdue: film(withFault('task-never-ends', rendered(', deadline: 2', ONE_BY_ONE)), TOLD),
  'in-review': film(inReview, TOLD),
  'in-default-folder': film(after(inDefaultFolder, terminated), {
    out: (id) => `out/${id}`,
    isOutDefault: true,
    hasOldSheet: true,
  }),
  completed: film(rendered(), {
    ...TOLD,
    refused: (id) => [
      ['approve', id, 'one'],
      ['resume', id],
    ],
  }),
  incomplete: film(withFault('task-fails', rendered(', onFailure: fail', ONE_BY_ONE)), TOLD),
  skipped: film(withFault('task-fails', rendered(', onFailure: skip', ONE_BY_ONE))),
  'retaken-detached': film(after(rendered(), runs('retake', ...RETAKES))),
  'retaken-in-review-detached': film(after(inReview, runs('retake', ...RETAKES)), { hasOldSheet: true }),
  cancelled: film(after(inReview, runs('cancel')), { refused: (id) => [['approve', id, 'one']] }),
  cancelling: film(after(inReview, runs('cancel', '--no-wait')), { looks: () => [], hasOldSheet: true }),
  'cancelled-unclear': film(after(unclear, runs('cancel'))),
  'cancelled-over-budget': film(after(rendered('', `${ONE_BY_ONE}\nbudget: { credits: 4 }`), runs('cancel'))),
  paused: film(after(inReview, runs('pause')), { refused: (id) => [['pause', id]] }),
  interrupted: film(after(inReview, terminated), { hasOldSheet: true }),
  'interrupted-unclear': film(after(unclear, terminated), { hasOldSheet: true }),
  'changed-while-running': film(after(inReview, changed('render', `${REVIEWED}, seed: 3`)), { isRefused: true }),
  'changed-after-the-end': film(after(rendered(), changed('plan', ', seed: 3'))),
  'rows-done': batch(rows(), TOLD),
  'rows-failed': batch(withFault('task-content-policy', rows()), TOLD),
  'rows-unclear': batch(rowsUnclear, TOLD),
  'rows-detached': batch(slowRows),
  'rows-paused': batch(after(slowRows, runs('pause')), { refused: (id) => [['pause', id]] }),
  'rows-cancelled': batch(after(slowRows, runs('batch', 'cancel'))),
  'rows-cancelling': batch(after(slowRows, runs('batch', 'cancel', '--no-wait')), { looks: () => [] }),
  'rows-interrupted': batch(after(slowRows, batchTerminated)),
  'rows-of-films': batch(withFault('accept-500', filmRows), {
    looks: (id) => [
      ['batch', 'status', id],
      ['status', `${id}.ash`],
    ],
  }),
  'notice-lost': film(noticeLost),
  'schedule-made': schedule(scheduled()),
  'schedule-paused': schedule(after(scheduled(), runs('schedule', 'pause')), {
    refused: (id) => [['schedule', 'pause', id]],
  }),
  'schedule-resumed': schedule(after(after(scheduled(), runs('schedule', 'pause')), runs('schedule', 'resume'))),
  'run-completed': run(runOf('completed')),
  'run-in-review': run(runOf('review', REVIEWED), TOLD),
  'run-unclear': run(runOf('parked', '', 'accept-500'), TOLD),
  'run-incomplete': run(runOf('incomplete', ', onFailure: fail', 'task-fails')),
  'run-interrupted': run(after(runOf('review', REVIEWED), terminated)),
  'run-of-rows': runOfRows(triggered(scheduledRows, 'completed')),
  'run-of-rows-failed': runOfRows(triggered(scheduledRows, 'incomplete', 'task-content-policy')),
  'run-of-rows-unclear': runOfRows(triggered(scheduledRows, 'parked', 'accept-500')),
};
