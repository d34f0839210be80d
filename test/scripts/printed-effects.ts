import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type BatchReport } from '../../client/batch';
import { type Manifest } from '../../contracts/manifest';
import { type Rig } from '../support/rig';
import { runsOf } from '../support/scheduled';
import { type Ended } from './command';
import { newestRun, type Scene } from './printed-states';

const ROOT = join(__dirname, '..', '..');

/** What a person types for words in capitals. */
export const ANSWERS = {
  picture: join(ROOT, 'productions/lighthouse/dawn.jpg'),
  credits: '500',
  /** A time of a schedule of every six hours. */
  instant: '2026-11-22T06:00:00Z',
} as const;

/** What is known before a command is typed. */
export interface Before {
  /** Ids of the tasks that the gateway has accepted. */
  readonly tasks: ReadonlySet<string>;
  readonly atMs: number;
}

/** Commands that write an out folder once the render has ended. */
const WRITES: readonly string[] = [
  ...['render', 'reject', 'retake', 'edit', 'choose', 'export'],
  ...['batch', 'batch results', 'batch retry-failed', 'batch cancel'],
];

/**
 * Whether a command has had the effect that its line says. `words` are the arguments after the verb: the id first, or for
 * `render` and `batch` the file, `--id` and the id.
 */
type Effect = (scene: Scene, words: readonly string[], before: Before) => Promise<boolean>;

export function before({ sandbox }: Rig): Before {
  return { tasks: new Set(sandbox.tasks().map((task) => task.id)), atMs: Date.now() };
}

/** The effects of commands that change something. Other commands only show something. */
export const EFFECTS: Readonly<Record<string, Effect>> = {
  approve: async (scene, [id = '', shot, , take]) => {
    const { filmTake, review } = shotOf(await manifestOf(scene, id), shot);
    return review === null && String(filmTake) === take;
  },
  choose: async (scene, [id = '', shot, take]) => String(shotOf(await manifestOf(scene, id), shot).filmTake) === take,
  reject: boughtByPrompt,
  retake: boughtByPrompt,
  resolve: async (scene, [id = '', shot = '', ...flags], was) => {
    const { batches } = scene.rig.store;
    return (await batches.begun(id)) === undefined
      ? isDecided(scene, { id, shot, flags }, was)
      : isRowDecided(scene, { id, key: shot, flags }, was);
  },
  budget: async (scene, [id = '']) =>
    (await scene.run('budget', id)).stdout.startsWith(`Budget: ${ANSWERS.credits} credits`),
  edit: ({ rig }, [id = ''], was) =>
    Promise.resolve(newTasks(rig, was).some(({ parameters }) => parameters['height'] === 40 && isOf(parameters, id))),
  render: async (scene, [, , id = '']) => {
    const { state, held } = (await scene.rig.client.status(id)) ?? {};
    return state !== 'cancelled' && held !== true;
  },
  cancel: async ({ rig }, [id = '']) => (await rig.client.status(id))?.state === 'cancelled',
  resume: async ({ rig }, [id = '']) => (await rig.store.holds.inForce(id)) === undefined,
  export: () => Promise.resolve(true),
  notify: async (scene, [id = '']) => {
    const { notices } = await manifestOf(scene, id);
    return notices.length > 0 && notices.every((notice) => notice.state === 'delivered');
  },
  batch: async (scene, [, , id = '']) => hasAllRows(await reportOf(scene, id)),
  'batch retry-failed': async (scene, [id = '']) => hasAllRows(await reportOf(scene, id)),
  'batch cancel': async (scene, [id = '']) => (await reportOf(scene, id)).state === 'cancelled',
  'batch results': () => Promise.resolve(true),
  'schedule resume': async (scene, [id = '']) => (await scheduleOf(scene, id)).state === 'active',
  'schedule trigger': async ({ rig }, [id = '']) => {
    const run = (await newestRun(rig, id))!;
    const { state } = ((await rig.client.status(run)) ?? (await rig.client.batches.report(run)))!;
    return state !== 'cancelled';
  },
  'schedule backfill': async ({ rig }, [id = '']) =>
    (await runsOf(rig.store, id)).some(({ scheduledAt }) => Date.parse(scheduledAt) === Date.parse(ANSWERS.instant)),
};

/** True if the command has written its files into this folder, or writes none, and prints no path outside it. */
export function hasWritten(
  verb: string,
  { stdout }: Ended,
  { folder, sinceMs }: { readonly folder: string; readonly sinceMs: number },
): boolean {
  const named = [...stdout.matchAll(/^ {2}(?:contact sheet|film|results) +(\/.*)$/gm)].map(([, path]) => path!);
  if (!named.every((path) => join(path, '/').startsWith(join(folder, '/')) && existsSync(path))) return false;
  if (!WRITES.includes(verb)) return true;
  // File timestamps may be coarse.
  const isNew = (file: string): boolean => statSync(join(folder, file)).mtimeMs >= sinceMs - 10;
  return existsSync(folder) && readdirSync(folder, { recursive: true, encoding: 'utf8' }).some(isNew);
}

async function boughtByPrompt(
  { rig, run }: Scene,
  [id = '', , , prompt]: readonly string[],
  was: Before,
): Promise<boolean> {
  // Without a prompt of its own, the new take has the prompt of the shot, which names the production or its schedule.
  const isAsked = (text: unknown): boolean => {
    if (prompt !== undefined) return text === prompt;
    const [, of] = /^The (?:pier|sea) of (.*?)(?:-file)?\.$/.exec(String(text)) ?? [];
    return of !== undefined && id.startsWith(of);
  };
  const isBought = (): boolean => newTasks(rig, was).some(({ parameters }) => isAsked(parameters['prompt']));
  if ((await rig.store.holds.inForce(id))?.by === 'person') {
    // Nothing is bought while it is paused.
    expect(isBought()).toBe(false);
    await run('resume', id);
  }
  return isBought();
}

async function isDecided(
  scene: Scene,
  { id, shot, flags }: { readonly id: string; readonly shot: string; readonly flags: readonly string[] },
  { tasks }: Before,
): Promise<boolean> {
  const named = flags[0] === '--take' ? Number(flags[1]) : undefined;
  const [answer, value] = named === undefined ? flags : flags.slice(2);
  const film = await manifestOf(scene, id);
  const { parked, state, takes } = shotOf(film, shot);
  const take = named === undefined ? takes.at(-1) : takes.find((one) => one.take === named);
  if (named === undefined ? parked !== null : parked?.takes?.some((one) => one.take === named)) return false;
  // The next render goes by a decision on an ended film.
  const kind = answer?.slice(2) ?? '';
  if (film.state === 'completed' && named !== undefined) return isNoted(scene, { id, shot, take: named, kind });
  switch (answer) {
    case '--adopt':
      return take?.taskId === value && take?.state === 'completed';
    case '--resubmit':
      return take?.state === 'completed' && take.taskId !== null && !tasks.has(take.taskId);
    case '--use':
      return takes.some(({ asset }) => asset?.sha256 === hashOf(value!));
    case '--skip':
      return named === undefined ? state === 'skipped' : isNoted(scene, { id, shot, take: named, kind: 'skip' });
    case '--wait':
      return take?.taskId != null && tasks.has(take.taskId);
    default:
      return false;
  }
}

/** Whether the ledger has this decision on a take. */
async function isNoted(
  { rig: { store } }: Scene,
  one: { readonly id: string; readonly shot: string; readonly take: number; readonly kind: string },
): Promise<boolean> {
  const history = await store.ledger.take({ productionId: one.id, shotId: one.shot, take: one.take });
  return history?.decisions.some(({ kind }) => kind === one.kind) === true;
}

async function isRowDecided(
  scene: Scene,
  { id, key, flags: [answer, value] }: { readonly id: string; readonly key: string; readonly flags: readonly string[] },
  was: Before,
): Promise<boolean> {
  const { parked, failures } = await reportOf(scene, id);
  if (parked.some((row) => row.key === key)) return false;
  const take = (await scene.rig.store.ledger.takes(id, key)).at(-1);
  const task = take?.sendings.at(-1)?.accepted?.taskId;
  switch (answer) {
    case '--adopt':
      return task === value || take?.decisions.some(({ taskId }) => taskId === value) === true;
    case '--resubmit':
      return task !== undefined && !was.tasks.has(task);
    case '--skip':
      return failures.some((row) => row.key === key && row.state === 'skipped');
    default:
      return take !== undefined && isNoted(scene, { id, shot: key, take: take.take, kind: 'use' });
  }
}

async function manifestOf({ run }: Scene, id: string): Promise<Manifest> {
  return JSON.parse((await run('status', id, '--json')).stdout) as Manifest;
}
async function reportOf({ run }: Scene, id: string): Promise<BatchReport> {
  return JSON.parse((await run('batch', 'status', id, '--json')).stdout) as BatchReport;
}
async function scheduleOf({ run }: Scene, id: string): Promise<{ readonly state: string }> {
  return JSON.parse((await run('schedule', 'show', id, '--json')).stdout) as { readonly state: string };
}

function shotOf({ shots }: Manifest, id: string | undefined): Manifest['shots'][number] {
  return shots.find((shot) => shot.id === id)!;
}
const hasAllRows = ({ counts, rows }: BatchReport): boolean => counts.completed === rows;

type Task = ReturnType<Rig['sandbox']['tasks']>[number];

function newTasks({ sandbox }: Rig, { tasks }: Pick<Before, 'tasks'>): readonly Task[] {
  return sandbox.tasks().filter(({ id }) => !tasks.has(id));
}
const isOf = (parameters: Task['parameters'], id: string): boolean => String(parameters['prompt']).includes(`${id}.`);

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
