import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { type FaultName } from '../../sandbox/faults/fault-table';
import { printedCommands } from '../support/printed-commands';
import { type Rig, rigEnv, startRig } from '../support/rig';
import { runsOf } from '../support/scheduled';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, type Ended, type Place } from './command';

const PICTURE = join(__dirname, '../../productions/lighthouse/dawn.jpg');

/** What a person answers when a command asks; there is no terminal here. */
const ASKS: readonly string[] = ['retake', 'reject', 'choose', 'edit'];

/** Time for the workflow to take a command up. */
const CHANGES_WITHIN_MS = 15_000;

/** For a schedule that has not begun any run yet. */
const NO_RUN = 'no-run';

/** Verbs that run until they are ended: other tests start them, as processes. */
const RUN_UNTIL_ENDED: readonly string[] = ['up', 'worker', 'sandbox', 'studio'];

/** Verbs after which a production, batch or schedule stands otherwise than before. */
const CHANGES: readonly string[] = ['resolve', 'approve', 'reject', 'retake', 'choose', 'resume', 'budget', 'edit'];

let rig: Rig;
let place: Place;

beforeAll(async () => {
  rig = await startRig();
  place = { folder: await temporaryFolder(), env: rigEnv(rig) };
  writeFileSync(join(place.folder, 'words.txt'), 'A tree.');
});
afterAll(() => rig.close());
afterEach(() => {
  rig.sandbox.faults.clear();
});

const run = (...args: readonly string[]): Promise<Ended> => dailies(args, place);

/** Writes a production of two pictures; `first` says more of its first shot. */
function write(id: string, first = '', head = ''): void {
  const text = `
title: Two pictures
models: { pixel-image-1: { output: image } }
defaults: { model: pixel-image-1, retryFailed: 0 }
${head}
shots:
  - { id: one, prompt: The pier of ${id}., width: 64, height: 36${first} }
  - { id: two, prompt: The sea of ${id}., width: 64, height: 36 }
`;
  writeFileSync(join(place.folder, `${id}.yaml`), text);
}

/** So that a fault strikes the first shot, and the second one goes on beside it. */
const ONE_BY_ONE = 'maxInFlight: 1';

const strike = (kind: FaultName, count = 1): void => {
  rig.sandbox.faults.inject({ kind, count, ...(kind.startsWith('refuse') ? { on: 'submit' as const } : {}) });
};

/** Brings a production, batch or schedule into a state, and returns what the command printed that brought it there. */
type Build = (id: string) => Promise<Ended>;

/** Writes and renders a production, into a folder of its own. */
const rendered =
  (first?: string, head?: string): Build =>
  async (id) => {
    write(id, first, head);
    return run('render', `${id}.yaml`, '--out', `films/${id}`);
  };
const struck =
  (kind: FaultName, then: Build, count = 1): Build =>
  (id) => {
    strike(kind, count);
    return then(id);
  };
const after =
  (build: Build, next: (id: string) => Promise<Ended>): Build =>
  async (id) => {
    expect([0, 3]).toContain((await build(id)).exitCode);
    return next(id);
  };

const rows =
  (head = ''): Build =>
  async (id) => {
    const keys = ['ash', 'birch'].map(
      (key) => `  - { key: ${key}, model: quill-text-1, output: text, prompt: ${key} of ${id} }`,
    );
    writeFileSync(join(place.folder, `${id}.yaml`), `generations:\n${keys.join('\n')}\nparallel: 1\n${head}`);
    return run('batch', `${id}.yaml`, '--out', `lists/${id}`);
  };

const scheduled: Build = async (id) => {
  write(`${id}-file`);
  return run('schedule', 'create', id, `${id}-file.yaml`, '--every', '6h');
};

interface State {
  readonly build: Build;
  /** How a person looks at it. */
  readonly looks: (id: string) => readonly (readonly string[])[];
  /** False if what is printed names the time, and nothing that is typed ends the state. */
  readonly isRepeatable?: boolean;
}

const film = (build: Build): State => ({
  build,
  looks: (id) => [
    ['status', id],
    ['takes', id],
    ['plan', `${id}.yaml`],
    ['budget', id],
    ['audit', id],
  ],
});
const batch = (build: Build): State => ({
  build,
  looks: (id) => [
    ['batch', 'status', id],
    ['batch', `${id}.yaml`, '--dry-run'],
  ],
});
const schedule = (build: Build): State => ({
  build,
  looks: (id) => [
    ['schedule', 'show', id],
    ['schedule', 'list'],
  ],
});

const inReview = rendered(', review: true, takes: 2');

const STATES: Readonly<Record<string, State>> = {
  unclear: film(struck('accept-500', rendered('', ONE_BY_ONE))),
  'two-takes-unclear': film(struck('accept-500', rendered(', takes: 2', ONE_BY_ONE), 2)),
  failed: film(struck('task-fails', rendered('', ONE_BY_ONE))),
  'without-credits': film(struck('refuse-402', rendered(), 2)),
  'over-budget': film(rendered('', `${ONE_BY_ONE}\nbudget: { credits: 4 }`)),
  overdue: film(struck('task-never-ends', rendered(', deadline: 2', ONE_BY_ONE))),
  'in-review': film(inReview),
  completed: film(rendered()),
  incomplete: film(struck('task-fails', rendered(', onFailure: fail', ONE_BY_ONE))),
  skipped: film(struck('task-fails', rendered(', onFailure: skip', ONE_BY_ONE))),
  cancelled: film(after(inReview, (id) => run('cancel', id))),
  paused: film(after(inReview, (id) => run('pause', id))),
  interrupted: film(
    after(inReview, async (id) => {
      const { workflow } = rig.temporal.client;
      await workflow.getHandle(productionWorkflowId(rig.store.id, id)).terminate();
      const shots = `WorkflowId STARTS_WITH "${shotWorkflowId(rig.store.id, id, '')}" AND ExecutionStatus = "Running"`;
      await until(async () => (await workflow.count(shots)).count === 0);
      return run('status', id);
    }),
  ),
  'changed-while-running': film(
    after(inReview, (id) => {
      write(id, ', review: true, takes: 2, seed: 3');
      return run('render', `${id}.yaml`);
    }),
  ),
  'changed-after-the-end': film(
    after(rendered(), (id) => {
      write(id, ', seed: 3');
      return run('plan', `${id}.yaml`);
    }),
  ),
  'rows-done': batch(rows()),
  'rows-failed': batch(struck('task-content-policy', rows())),
  'rows-unclear': batch(struck('accept-500', rows())),
  'rows-paused': batch(after(struck('accept-500', rows()), (id) => run('pause', id))),
  'schedule-made': schedule(scheduled),
  'schedule-paused': schedule(after(scheduled, (id) => run('schedule', 'pause', id))),
  'schedule-run': { ...schedule(after(scheduled, (id) => run('schedule', 'trigger', id))), isRepeatable: false },
};

const distinct = new Set<string>();
let ran = 0;

describe('a command that is printed', () => {
  afterAll(() => {
    process.stderr.write(
      `${distinct.size} distinct printed commands, run ${ran} times in ${Object.keys(STATES).length} states\n`,
    );
  });

  it.each(Object.keys(STATES))('%s: does what it says', async (name) => {
    const { build, looks, isRepeatable = true } = STATES[name]!;
    const printed = [await build(name)];
    for (const look of looks(name)) printed.push(await run(...look));
    // Nothing is refused: the state was reached.
    expect(printed.slice(1).map(({ exitCode }) => exitCode)).not.toContain(2);
    const commands = new Map(
      printed
        .flatMap(({ stdout, stderr }) => printedCommands(`${stdout}\n${stderr}`))
        .map((words) => [words.join(' '), words]),
    );
    const broken: string[] = [];
    for (const [index, [line, words]] of [...commands].entries()) {
      if (RUN_UNTIL_ENDED.includes(words[0]!)) continue;
      const id = isRepeatable ? `${name}-${index}` : name;
      rig.sandbox.faults.clear();
      if (isRepeatable) await build(id);
      const isChange = CHANGES.includes(words[0]!) && words.length > 2 && !words.includes('--wait');
      const before = isChange ? await standing(id) : '';
      const typed = await filled(
        words.map((word) => ofId(word, name, id)),
        id,
      );
      if (typed.includes(NO_RUN)) continue;
      const { exitCode, stdout, stderr } = await run(...typed);
      await settled(id);
      distinct.add(line.replaceAll(name, 'ID'));
      ran += 1;
      if (exitCode !== 0 && exitCode !== 3) broken.push(`dailies ${typed.join(' ')}: ${exitCode} ${stderr}${stdout}`);
      else if (isChange && !(await isChanged(id, before)))
        broken.push(`dailies ${typed.join(' ')}: nothing has changed: ${stderr}${stdout}`);
    }
    expect(broken).toEqual([]);
  });

  /** The words of a command, with what a person puts in for those in capitals. */
  async function filled(words: readonly string[], id: string): Promise<readonly string[]> {
    const isOfFirst = new RegExp(`^(The pier|ash) of ${id}\\b`);
    const taskId = rig.sandbox.tasks().find(({ parameters }) => isOfFirst.test(String(parameters['prompt'])))?.id;
    const answers: Readonly<Record<string, string>> = {
      FILE: !words.includes('--use') ? `${id}.yaml` : id.startsWith('rows') ? 'words.txt' : PICTURE,
      TEXT: 'The pier in rain.',
      M: '500',
      SHOT: 'one',
      TASK_ID: taskId ?? 'none',
      INSTANT: '2026-11-22T02:00:00Z',
      RUN: await newestRun(id),
    };
    return [...words.map((word) => answers[word] ?? word), ...(ASKS.includes(words[0]!) ? ['--yes'] : [])];
  }

  /** A run has its record a moment before its production begins. */
  async function newestRun(id: string): Promise<string> {
    const productionId = (await runsOf(rig.store, id)).at(-1)?.productionId;
    if (productionId === undefined) return NO_RUN;
    await until(() => rig.client.status(productionId));
    return productionId;
  }

  /** Whether it stands otherwise than before, or comes to do so soon. */
  async function isChanged(id: string, before: string): Promise<boolean> {
    const patience = sleep(CHANGES_WITHIN_MS, false, { ref: false });
    return Promise.race([patience, until(async () => (await standing(id)) !== before)]);
  }

  /** Waits until no task of it is under way, which would take the next fault. */
  async function settled(id: string): Promise<void> {
    const isSettled = until(async () => {
      const shots = (await rig.client.status(id))?.shots ?? [];
      return !shots.some(({ state }) => state === 'rendering');
    });
    // What is paused does not come to rest.
    await Promise.race([isSettled, sleep(CHANGES_WITHIN_MS, undefined, { ref: false })]);
  }

  /** All that is kept of it, as the command tells it. */
  async function standing(id: string): Promise<string> {
    const of = await Promise.all([
      run('status', id, '--json'),
      run('batch', 'status', id, '--json'),
      run('schedule', 'show', id, '--json'),
      run('takes', id, '--json'),
      run('budget', id, '--json'),
    ]);
    return of
      .map(({ exitCode, stdout }) => `${exitCode} ${stdout.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')}`)
      .join('\n');
  }
});

/** The same word, of another production of the same kind. */
function ofId(word: string, name: string, id: string): string {
  return word.replace(new RegExp(`(^|/)${name}(?=$|[./]|-file|-hand|-\\d{4})`, 'g'), `$1${id}`);
}
