import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SHEET_NAME } from '../../client/records/out-names';
import { type BatchNotice, type ProductionNotice } from '../../contracts/notice';
import { isAtRest } from '../../contracts/status';
import { ledgerState } from '../../store';
import { NOTIFY_SECRET, startReceiver } from '../support/hook-receiver';
import { printedCommands } from '../support/printed-commands';
import { type Rig, rigEnv, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { unescaped } from '../support/unescaped';
import { until } from '../support/until';
import { dailies, type Ended, type Place } from './command';
import { ANSWERS, before, EFFECTS, hasWritten } from './printed-effects';
import { newestRun, RUN, type Scene, type State, STATES, write } from './printed-states';

/** What a person answers when a command asks; there is no terminal here. */
const ASKS: readonly string[] = ['retake', 'reject', 'choose', 'edit'];

/** Time for the workflow to take a command up. */
const CHANGES_WITHIN_MS = 15_000;

/** Verbs that run until they are ended: other tests start them, as processes. */
const RUN_UNTIL_ENDED: readonly string[] = ['up', 'worker', 'sandbox', 'studio'];

/** Commands of docs/failures.md that none of the states prints, and the test that runs them. */
const TRIED_ELSEWHERE: Readonly<Record<string, string>> = {
  ledger: 'books/command.test.ts',
  'ledger --restore': 'books/command.test.ts',
  plan: 'scripts/plan.test.ts',
  'resolve --all --for': 'scripts/resolve-many.full.test.ts',
  'retake --prompt': 'scripts/directing.test.ts',
  review: 'scripts/review.full.test.ts',
  'store --moved': 'scripts/copied-store.test.ts',
};

type Words = readonly string[];

let rig: Rig;
let place: Place;
/** Working directory of the tried commands. They must not write into it. */
let elsewhere: Place;
let scene: Scene;

beforeAll(async () => {
  rig = await startRig();
  const env = { ...rigEnv(rig), DAILIES_NOTIFY_SECRET: NOTIFY_SECRET, DAILIES_NOTIFY_HOSTS: '127.0.0.1' };
  place = { folder: await temporaryFolder(), env };
  elsewhere = { folder: join(place.folder, 'elsewhere'), env };
  mkdirSync(elsewhere.folder);
  writeFileSync(join(place.folder, 'words.txt'), 'A tree.');
  const receiver = await startReceiver();
  scene = { rig, folder: place.folder, receiver, refusing: [], run: (...args) => dailies(args, place) };
});
afterAll(() => Promise.all([rig.close(), ...[scene.receiver, ...scene.refusing].map((one) => one.close())]));

afterEach(() => scene.run('limits', '--in-flight', 'none'));

/** Each command that was tried, and the states that print it. */
const tried = new Map<string, Set<string>>();
/** The commands that tried commands print. */
const followUps = new Set<string>();
let ran = 0;

describe('a command that is printed', () => {
  afterAll(() => {
    process.stderr.write(
      `${tried.size} distinct printed commands, run ${ran} times in ${Object.keys(STATES).length} states\n`,
    );
  });

  it.each(Object.keys(STATES))('%s: does what it says', async (name) => {
    await expectAllToWork(name, await printedIn(STATES[name]!, name));
  });

  it('in the list of all productions and batches does what it says', async () => {
    const listed = await scene.run('list');
    for (const name of Object.keys(STATES)) await expectAllToWork(name, [listed]);
  });

  it('by another one is also printed in one of the states', () => {
    const known = new Set([...tried.keys()].map(ofAnyTake));
    expect([...followUps].filter((line) => !known.has(line))).toEqual([]);
  });

  it('in docs/failures.md is also printed in one of the states', () => {
    const shapes = [...tried.keys()].map((line) => shapeOf(line.split(' ')));
    const isTried = ({ verb, flags }: Shape): boolean =>
      [verb, ...flags].join(' ') in TRIED_ELSEWHERE ||
      shapes.some((shape) => shape.verb === verb && flags.every((flag) => shape.flags.includes(flag)));
    const page = readFileSync(join(__dirname, '../../docs/failures.md'), 'utf8');
    // A verb alone is a mention, not a command to type.
    const typed = printedCommands(page).filter((words) => words.length > verbOf(words).split(' ').length);
    expect(typed.length).toBeGreaterThan(10);
    expect(typed.filter((words) => !isTried(shapeOf(words)))).toEqual([]);
  });
});

/** A command without its values. */
interface Shape {
  readonly verb: string;
  readonly flags: readonly string[];
}

function shapeOf(words: Words): Shape {
  return { verb: verbOf(words), flags: words.filter((word) => word.startsWith('--')) };
}

/** Tries each printed command that was not tried in this state. */
async function expectAllToWork(name: string, printed: readonly Ended[]): Promise<void> {
  const broken: string[] = [];
  for (const [line, words] of commandsIn(printed, name)) {
    const states = tried.get(line) ?? new Set();
    if (states.has(name)) continue;
    tried.set(line, states.add(name));
    const complaint = await complaintAbout(STATES[name]!, words, { name, id: `${name}-${ran}` });
    ran += 1;
    if (complaint !== undefined) broken.push(complaint);
  }
  expect(broken).toEqual([]);
}

/** Builds the state, looks at it, and runs the commands that it refuses. */
async function printedIn(state: State, id: string): Promise<readonly Ended[]> {
  const { build, looks, refused, isRefused = false, isTold = false, hasOldSheet = false, out } = state;
  const built = await build(scene, id);
  rig.sandbox.faults.clear();
  const looked: Ended[] = [];
  for (const look of looks(id)) looked.push(await scene.run(...(await filled(look, id))));
  const was = [];
  for (const typed of refused?.(id) ?? []) was.push(await scene.run(...typed));
  // No other command is refused, so the state was reached.
  expect(built.exitCode === 2).toBe(isRefused);
  expect(looked.map(({ exitCode }) => exitCode)).not.toContain(2);
  expect(was.map(({ exitCode }) => exitCode)).toEqual(was.map(() => 2));
  const notices = isTold ? await until(() => noticesAbout(id)) : '';
  const sheet = hasOldSheet ? '' : onSheet(join(place.folder, out(id)));
  return [built, ...looked, ...was, printing(notices), printing(sheet)];
}

function printing(stdout: string): Ended {
  return { exitCode: 0, stdout, stderr: '' };
}

/**
 * All texts of the notices about a production, batch or run of a schedule, one per line. Undefined before there is one.
 */
async function noticesAbout(id: string): Promise<string | undefined> {
  const subject = (await newestRun(rig, id)) ?? id;
  const texts: string[] = [];
  for (const { data } of scene.receiver.told()) {
    const { production, batch } = data as Partial<ProductionNotice & BatchNotice>;
    if ((production ?? batch) !== subject) continue;
    JSON.stringify(data, (_key, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
  }
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The commands on a contact sheet, one per line. */
function onSheet(folder: string): string {
  const file = join(folder, SHEET_NAME);
  if (!existsSync(file)) return '';
  const codes = readFileSync(file, 'utf8').matchAll(/<code>(.*?)<\/code>/gs);
  return [...codes].map(([, code]) => unescaped(code!)).join('\n');
}

/** The commands about this production, batch or schedule, with `ID` and `RUN` for its names. */
function commandsIn(printed: readonly Ended[], name: string): ReadonlyMap<string, Words> {
  const isOfAnother = (word: string): boolean => Object.keys(STATES).some((other) => word.startsWith(other));
  return new Map(
    printed
      .flatMap(({ stdout, stderr }) => printedCommands(`${stdout}\n${stderr}`))
      .filter(([verb]) => !RUN_UNTIL_ENDED.includes(verb!))
      .map((words) => words.map((word) => withoutName(word, name)))
      // `list` prints those of all states.
      .filter((words) => !words.some(isOfAnother))
      .map((words) => [words.join(' '), words]),
  );
}

const ofAnyTake = (line: string): string => line.replace(/--take \d+/, '--take N');

function withoutName(word: string, name: string): string {
  return word
    .replace(new RegExp(`\\b${name}-hand-\\w+`, 'g'), RUN)
    .replace(new RegExp(`(^|/)${name}(?=$|[./]|-file)`, 'g'), '$1ID')
    .replace(place.folder, 'FOLDER');
}

/** Types a command in its state, from another folder. Returns what is wrong; undefined if it does what it says. */
async function complaintAbout(
  { build, out, isOutDefault }: State,
  words: Words,
  { name, id }: { readonly name: string; readonly id: string },
): Promise<string | undefined> {
  const verb = verbOf(words);
  const effect = EFFECTS[verb];
  // A command that only shows something can share the state; others get a new one.
  const targetId = effect === undefined ? name : id;
  if (effect !== undefined) await build(scene, id);
  rig.sandbox.faults.clear();
  const typed = await filled(words, targetId);
  // The schedule has not begun a run.
  if (typed.includes(RUN)) return undefined;
  const earlier = before(rig);
  const ended = await dailies(typed, isOutDefault === true ? place : elsewhere);
  const complain = (what: string): string =>
    `dailies ${typed.join(' ')}: ${what}: ${ended.exitCode} ${ended.stderr}${ended.stdout}`;
  for (const line of commandsIn([ended], targetId).keys()) followUps.add(ofAnyTake(line));
  if (ended.exitCode !== 0 && ended.exitCode !== 3) return complain('fails');
  if (effect === undefined) return ended.stdout.includes(targetId) ? undefined : complain('shows something else');
  if (!(await becomesTrue(() => effect(scene, typed.slice(verb.split(' ').length), earlier))))
    return complain('has no effect');
  await becomesTrue(() => isSettled(targetId));
  const stray = readdirSync(elsewhere.folder);
  if (stray.length > 0) return complain(`writes ${stray.join(', ')} into the working folder`);
  const folder = join(place.folder, out(targetId));
  return hasWritten(verb, ended, { folder, sinceMs: earlier.atMs }) ? undefined : complain(`does not write ${folder}`);
}

/** `batch FILE` starts a batch; other verbs of batches and schedules have two words. */
function verbOf([verb = '', second = '']: Words): string {
  return verb === 'schedule' || (verb === 'batch' && !second.includes('/')) ? `${verb} ${second}` : verb;
}

/** Whether the condition holds within CHANGES_WITHIN_MS. */
async function becomesTrue(isSo: () => Promise<boolean>): Promise<boolean> {
  const patience = sleep(CHANGES_WITHIN_MS, false, { ref: false });
  return Promise.race([patience, until(isSo)]);
}

/** Whether nothing more is sent until a person acts. A task sent later would take the fault of the next state. */
async function isSettled(of: string): Promise<boolean> {
  const id = (await newestRun(rig, of)) ?? of;
  const status = await rig.client.status(id);
  if (status === undefined) return (await rig.client.batches.report(id))?.state !== 'running';
  return status.paused !== undefined || isAtRest(status);
}

/** The words of a command, with what a person puts in for those in capitals. */
async function filled(words: Words, id: string): Promise<Words> {
  const run = words.some((word) => word.includes(RUN)) ? await newestRun(rig, id) : undefined;
  if (words[0] === 'edit') write(place.folder, id, { first: ', review: true, takes: 2', height: 40 });
  const isOfFirst = new RegExp(`^(The pier|ash) of ${id}\\b`);
  const taskId = rig.sandbox.tasks().find(({ parameters }) => isOfFirst.test(String(parameters['prompt'])))?.id;
  const own = words.includes('ash') ? join(place.folder, 'words.txt') : ANSWERS.picture;
  const answers: Readonly<Record<string, string>> = {
    FILE: words.includes('--use') ? own : join(place.folder, `${id}.yaml`),
    TEXT: `The pier of ${id} in rain.`,
    M: ANSWERS.credits,
    SHOT: 'one',
    TASK_ID: taskId ?? 'none',
    INSTANT: ANSWERS.instant,
  };
  const named = (word: string): string =>
    word
      .replace('FOLDER', place.folder)
      .replace(/\bID\b/g, id)
      .replace(/\bRUN\b/g, run ?? RUN);
  const take = await onlyUnclearTake(words, id);
  const typed = words.map((word, index) =>
    take !== undefined && words[index - 1] === '--take' ? take : (answers[word] ?? named(word)),
  );
  return [...typed, ...(ASKS.includes(words[0]!) ? ['--yes'] : [])];
}

/**
 * For a decision: the number of the shot's unclear take, if it has only one. Takes side by side are submitted at once,
 * so another take than in the state that printed the command may be the unclear one.
 */
async function onlyUnclearTake(words: Words, id: string): Promise<string | undefined> {
  const [verb, , shot = ''] = words;
  if (verb !== 'resolve' || !words.includes('--take')) return undefined;
  const takes = await rig.store.ledger.takes(id, shot);
  const [unclear, ...others] = takes.filter((one) => ledgerState(one).is === 'unclear');
  return others.length > 0 ? undefined : unclear?.take.toString();
}
