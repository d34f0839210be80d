import { type Priority } from '../../contracts/gateway/arbiter';
import { resolveCommand } from '../../contracts/commands';
import { type ParkedFor } from '../../contracts/render/decision';
import { GENERATIONS } from '../../contracts/identifiers';
import { type OutputKind } from '../../contracts/gateway/models';
import { type GenerateInput, type Parked, type TakeOutcome } from '../../contracts/workflows';
import { readText, type Store } from '../../store';
import { freezeGeneration } from '../freeze/freeze-generation';
import { type GenerateRequest, singleTaskInput } from '../dailies/single-task';
import { checkedOptions } from './checked-options';
import { type ProgramContext } from './context';
import { InvalidInput } from './invalid-input';
import { jsonParameters } from './json-parameters';

/** A single task of any model. */
export interface Task {
  /**
   * Name of the task. The same request under the same name finds the take that is already paid for. Default: derived
   * from the request.
   */
  readonly id?: string;
  /** Id, title or workflow name. */
  readonly model: string;
  readonly prompt?: string;
  /** Other parameters of the model, by name, as JSON values. Undefined parameters are left out. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** File parameters, by name: a path, an address, or several of them. */
  readonly files?: Readonly<Record<string, string | readonly string[]>>;
  /** The kind of the output, for a model that Dailies does not know. */
  readonly output?: OutputKind;
  /** Name of the model's workflow at the gateway. The model is then called at that workflow's own addresses. */
  readonly workflow?: string;
  /** Path of a JSON Schema of the parameters. */
  readonly schema?: string;
  /** `execute` for models that take well under 20 s. Default: submit. */
  readonly mode?: 'submit' | 'execute';
  /**
   * Priority among the account's waiting tasks. It has an effect only if the account has limits or the gateway throttles
   * it. Default: normal.
   */
  readonly priority?: Priority;
}

export interface GenerateOptions {
  /** False to return as soon as the task has begun. Another call with the same task waits for it. Default: true. */
  readonly wait?: boolean;
  /** If the signal aborts, the wait ends and the task continues. */
  readonly signal?: AbortSignal;
}

/** The result of a task. `state` is `running` if the call did not wait, or if the wait was aborted. */
export interface Generated {
  readonly id: string;
  readonly state: TakeOutcome['state'] | 'parked' | 'running';
  readonly reason: string | null;
  /** The kind of wait, and the command that ends the wait; null if the task is not parked. */
  readonly parked: { readonly for: ParkedFor; readonly command: string } | null;
  readonly taskId: string | null;
  /** The task's charge; null if it is not known. */
  readonly credits: number | null;
  /** The output of a text model. */
  readonly text: string | null;
  /** The output, with its path in the store. */
  readonly asset: { readonly path: string; readonly sha256: string; readonly mediaType: string } | null;
}

export interface Tasks {
  /**
   * Runs one task, like `dailies generate`. Resolves when the task has ended or is parked, unless `wait` is false.
   *
   * @throws InvalidInput, Refused
   */
  generate(task: Task, options?: GenerateOptions): Promise<Generated>;
  /**
   * Checks a task and puts it into the store. A workflow of the program can then run the workflow `generate` for it.
   *
   * @returns the input of `generate`. @throws InvalidInput
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
 * The result of a task, with its text and the path of its file.
 *
 * @param outcome undefined if the call did not wait, or if the wait was aborted.
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
  const path = store.assets.shownPath(output.asset);
  const text = mediaType === 'text/plain' ? await readText(store.assets, output.asset) : null;
  return { ...common, text, asset: { path, sha256, mediaType } };
}
