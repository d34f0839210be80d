import { readFile } from 'node:fs/promises';
import { type Priority } from '../../contracts/arbiter';
import { resolveCommand } from '../../contracts/commands';
import { type ParkedFor } from '../../contracts/decision';
import { GENERATIONS } from '../../contracts/identifiers';
import { type OutputKind } from '../../contracts/models';
import { type GenerateInput, type Parked, type TakeOutcome } from '../../contracts/workflows';
import { type Store } from '../../store';
import { freezeGeneration } from '../production-file';
import { type GenerateRequest, singleTaskInput } from '../single-task';
import { checkedOptions } from './checked-options';
import { type ProgramContext } from './context';
import { InvalidInput } from './invalid-input';
import { jsonParameters } from './json-parameters';

/** One task of any model. */
export interface Task {
  /** Names it: the same one again finds what it has paid for. Default: made of what is asked for. */
  readonly id?: string;
  /** Id, title or workflow name. */
  readonly model: string;
  readonly prompt?: string;
  /** Other parameters of the model, by name: what JSON can say. One that is undefined is not given. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Parameters that are files, by name: a path, an address, or several. */
  readonly files?: Readonly<Record<string, string | readonly string[]>>;
  /** What the model makes, where it is not one of the known ones. */
  readonly output?: OutputKind;
  /** Calls the model at its workflow's own addresses. */
  readonly workflow?: string;
  /** Path of a JSON Schema of the parameters. */
  readonly schema?: string;
  /** `execute` for models that need well under 20 s. Default: submit. */
  readonly mode?: 'submit' | 'execute';
  /** Whose turn comes first where the account has limits. Default: normal. */
  readonly priority?: Priority;
}

export interface GenerateOptions {
  /** False to return once it has begun. The same task again waits for it. Default: true. */
  readonly wait?: boolean;
  /** Ends the waiting, not the task. */
  readonly signal?: AbortSignal;
}

/** How a task ended, why it waits, or that it goes on and is not waited for. */
export interface Generated {
  readonly id: string;
  readonly state: TakeOutcome['state'] | 'parked' | 'running';
  readonly reason: string | null;
  /** Present while it waits for a person: for what, and what to type. */
  readonly parked: { readonly for: ParkedFor; readonly command: string } | null;
  readonly taskId: string | null;
  /** Null if the gateway reported none. */
  readonly credits: number | null;
  /** What a text model wrote. */
  readonly text: string | null;
  /** What it left, where the store keeps it. */
  readonly asset: { readonly path: string; readonly sha256: string; readonly mediaType: string } | null;
}

/** What a program does with single tasks. */
export interface Tasks {
  /** Runs one task, as `dailies generate`. Resolves when it has ended or is parked. @throws InvalidInput, Refused */
  generate(task: Task, options?: GenerateOptions): Promise<Generated>;
  /**
   * Checks a task and puts it into the store, for a workflow of your own that runs `generate`.
   *
   * @returns what `generate` is started with. @throws InvalidInput
   */
  freezeTask(task: Task): Promise<GenerateInput>;
}

export function createTasks({ config, store, client, tellOfNoWorker }: ProgramContext): Tasks {
  async function requestOf({
    parameters,
    files = {},
    mode = 'submit',
    priority,
    ...named
  }: Task): Promise<GenerateRequest> {
    const turn = checkedOptions({ priority });
    const flags = {
      ...named,
      parameters: jsonParameters(parameters),
      files: Object.entries(files).flatMap(([name, paths]) => [paths].flat().map((path) => `${name}=${path}`)),
      folder: '.',
    };
    const checked = await freezeGeneration(flags, config, store);
    if (!checked.ok) throw new InvalidInput(checked.issues);
    const [shot] = checked.plan.shots;
    if (shot === undefined) throw new Error('a generation has one task');
    return { generationId: shot.id, production: checked.ref, shot, mode, ...turn };
  }

  return {
    async generate(task, { wait = true, signal = new AbortController().signal } = {}) {
      const request = await requestOf(task);
      const begun = await client.beginTask(request);
      await tellOfNoWorker();
      return generatedOf(store, request.generationId, wait ? await begun.ended(signal) : undefined);
    },
    freezeTask: async (task) => singleTaskInput(await requestOf(task), false),
  };
}

/**
 * What came of a task, with its text and where its file lies.
 *
 * @param outcome undefined if nobody waits for it.
 */
async function generatedOf(store: Store, id: string, outcome: TakeOutcome | Parked | undefined): Promise<Generated> {
  if (outcome === undefined) {
    return { id, state: 'running', reason: null, parked: null, taskId: null, credits: null, text: null, asset: null };
  }
  if ('for' in outcome) {
    const { for: parkedFor, reason, take } = outcome;
    const parked = { for: parkedFor, command: resolveCommand(GENERATIONS, id, parkedFor) };
    return { id, state: 'parked', reason, parked, taskId: take.taskId, credits: take.credits, text: null, asset: null };
  }
  const { state, reason, take, output } = outcome;
  const common = { id, state, reason, parked: null, taskId: take?.taskId ?? null, credits: take?.credits ?? null };
  if (output === null) return { ...common, text: null, asset: null };
  const { sha256, mediaType } = output.asset;
  const path = store.assets.localPath(output.asset);
  const text = mediaType === 'text/plain' ? await readFile(path, 'utf8') : null;
  return { ...common, text, asset: { path, sha256, mediaType } };
}
