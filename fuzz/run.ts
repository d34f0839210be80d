import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mutated } from './mutations';
import { type Question, type Reply } from './reader';
import { goodSamples, type Sample } from './samples';
import { type TargetName } from './targets';

/** Time limit per case. */
const LIMIT_MS = 10_000;

/** Time limit per media case. The probe itself ends after ten seconds of CPU; frames are read after the probe. */
const MEDIA_LIMIT_MS = 30_000;

/** Targets whose unchanged samples must be read. Other targets' samples include error answers, which are refused. */
const FILES: ReadonlySet<TargetName> = new Set(['media', 'production', 'batch']);

/** Cases before a new reader process starts, so that its folder and memory stay small. */
const CASES_PER_READER = 300;

/** Heap limit of a reader. A reader that needs more for a file of a few kilobytes dies, which is a finding. */
const HEAP_MB = 512;

export interface FuzzOptions {
  readonly seed: number;
  readonly minutes: number;
  /** The only round to run. Default: as many rounds as the time allows. */
  readonly round?: number;
  /** Root of the repository, whose productions serve as samples. */
  readonly root: string;
  /** A folder made for this run. */
  readonly folder: string;
  readonly onFinding: (finding: Finding) => void;
}

export interface Finding {
  readonly target: TargetName;
  readonly sample: string;
  readonly round: number;
  /** The reader died, hung, threw an undeclared error, or wrote a file where it may not. */
  readonly kind: 'death' | 'hang' | 'failure' | 'stray file';
  readonly words: string;
  /** Path of the saved input. */
  readonly path: string;
}

export interface FuzzReport {
  readonly cases: number;
  readonly read: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

/** Reads the samples in turn until the time is over. @throws Error if an unchanged sample of `FILES` is refused. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, minutes, root, folder } = options;
  const made = join(folder, 'made');
  await mkdir(made, { recursive: true });
  const samples = await goodSamples(root, made);
  const read: Record<string, number> = {};
  const refused: Record<string, number> = {};
  const findings: Finding[] = [];
  const endsAtMs = Date.now() + minutes * 60_000;
  let cases = 0;
  let reader: Reader | undefined;
  for (let round = options.round ?? 0; round === options.round || Date.now() < endsAtMs; round += 1) {
    if (options.round !== undefined && round > options.round) break;
    const sample = samples[round % samples.length];
    if (sample === undefined) break;
    if (reader?.isSpent() !== false) {
      await reader?.end();
      reader = await startReader(root, folder);
    }
    // Each sample is read unchanged the first time, and mutated later.
    const bytes = round < samples.length ? sample.bytes : mutated(sample.bytes, (seed * 1_000_003 + round) | 0);
    const looked = await reader.look(sample, bytes, round);
    cases += 1;
    if ('outcome' in looked) {
      const isGood = round < samples.length && FILES.has(sample.target);
      if (isGood && looked.outcome === 'refused') throw new Error(`${sample.name} is refused, though it is good`);
      const counts = looked.outcome === 'read' ? read : refused;
      counts[sample.target] = (counts[sample.target] ?? 0) + 1;
      continue;
    }
    const path = join(folder, `finding-${round}-${sample.name}`);
    await writeFile(path, bytes);
    const finding = { target: sample.target, sample: sample.name, round, path, ...looked };
    findings.push(finding);
    options.onFinding(finding);
  }
  await reader?.end();
  return { cases, read, refused, findings };
}

type Looked = Extract<Reply, { outcome: unknown }> | Pick<Finding, 'kind' | 'words'>;

interface Reader {
  look(sample: Sample, bytes: Buffer, round: number): Promise<Looked>;
  isSpent(): boolean;
  end(): Promise<void>;
}

/** Path of the reader's folder below `top`. Each folder of the path is checked for files written through `..`. */
const NESTED = ['a', 'b', 'c', 'work'];

async function startReader(root: string, folder: string): Promise<Reader> {
  const top = join(folder, 'reader');
  const work = join(top, ...NESTED);
  await rm(top, { recursive: true, force: true });
  await mkdir(join(work, 'tmp'), { recursive: true });
  const input = join(work, 'in');
  // The files that the sample productions refer to.
  await cp(join(root, 'productions'), input, { recursive: true, filter: (path) => !path.endsWith('.yaml') });
  await cp(join(root, 'productions', 'catalogue', 'products.csv'), join(input, 'products.csv'));
  const usual = new Set(await readdir(input));
  const child = fork(join(__dirname, 'reader.js'), {
    cwd: work,
    env: { ...process.env, TMPDIR: join(work, 'tmp') },
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A process group, so that the reader and its children can be killed together.
    detached: true,
  });
  let [cases, lastWords] = [0, ''];
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (lastWords = (lastWords + piece).slice(-2_000)));

  async function strays(name: string): Promise<readonly string[]> {
    const allowed: readonly (readonly [string, ReadonlySet<string>])[] = [
      ...NESTED.map((one, depth) => [join(top, ...NESTED.slice(0, depth)), new Set([one])] as const),
      [work, new Set(['in', 'out', 'store', 'tmp'])],
      [input, usual.has(name) ? usual : new Set([...usual, name])],
    ];
    const found = allowed.map(async ([place, names]) =>
      (await readdir(place)).filter((one) => !names.has(one)).map((one) => join(place, one)),
    );
    return (await Promise.all(found)).flat();
  }

  return {
    isSpent: () => cases >= CASES_PER_READER || !isAlive(child),
    async look({ target, name }, bytes, round) {
      cases += 1;
      const path = join(input, name);
      await writeFile(path, bytes);
      const limitMs = target === 'media' ? MEDIA_LIMIT_MS : LIMIT_MS;
      const reply = await ask(child, { target, path, folder: work, round }, limitMs);
      if (reply === 'hang') {
        kill(child);
        return { kind: 'hang', words: `no answer within ${limitMs} ms` };
      }
      if (reply === 'death') return { kind: 'death', words: lastWords || 'nothing on stderr' };
      if ('failure' in reply) {
        await rm(path, { force: true });
        return { kind: 'failure', words: reply.failure };
      }
      const left = await strays(name);
      if (left.length > 0) {
        kill(child);
        return { kind: 'stray file', words: left.join(', ') };
      }
      await rm(path);
      return reply;
    },
    async end() {
      if (isAlive(child)) {
        const ended = once(child, 'exit');
        kill(child);
        await ended;
      }
      await rm(top, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function ask(child: ChildProcess, question: Question, limitMs: number): Promise<Reply | 'hang' | 'death'> {
  return new Promise((resolve) => {
    const finish = (outcome: Reply | 'hang' | 'death'): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      resolve(outcome);
    };
    const onMessage = (reply: unknown): void => {
      finish(reply as Reply);
    };
    const onExit = (): void => {
      finish('death');
    };
    const timer = setTimeout(() => {
      finish('hang');
    }, limitMs);
    child.on('message', onMessage).on('exit', onExit);
    child.send(question, (error) => {
      if (error !== null) finish('death');
    });
  });
}

/** Kills the reader and the programs that it has started. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The reader has ended.
  }
}
