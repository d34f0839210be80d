import { type FileValuePolicy } from '../../contracts/file/file-values';
import { createHash } from 'node:crypto';
import { GENERATIONS, ID_PATTERN, toId } from '../../contracts/identifiers';
import { FILE_PARAMETERS, knownModel, type OutputKind } from '../../contracts/gateway/models';
import { type Store } from '../../store';
import { SHOTS_OWN } from '../production-file/checks/check-generations';
import { checkProduction } from '../production-file/checks/check-production';
import { type CheckedShot } from '../production-file/checked-production';
import { type CheckedFile } from '../production-file/file-source';
import { type Finding } from '../wording/finding';
import { type FrozenInStore, freezeProduction, inOrder } from './freeze-production';
import { jsonOrText, type Pairs, pairs } from '../production-file/text/flag-values';
import { type FlagIssue } from '../production-file/issue';
import { shown } from '../wording/phrases';
import { absolute } from '../wording/working-folder';

/** A single task, given by the flags of `dailies generate` or by a program. */
export interface GenerationFlags {
  /** Id, title or workflow name. */
  readonly model?: string;
  /**
   * The gateway's name of a workflow. The task then goes to the address `/workflows/NAME`. Without `model`, it also
   * names the model.
   */
  readonly workflow?: string;
  readonly prompt?: string;
  /** `name=value`. The value is parsed as JSON if possible, otherwise it is text. */
  readonly settings?: readonly string[];
  /** Parameters as values. Text is never parsed. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** `name=path or address`. A repeated name makes a list. */
  readonly files?: readonly string[];
  /** Path of a JSON Schema of the model's parameters. */
  readonly schema?: string;
  readonly output?: OutputKind;
  /** Name of the task. Default: derived from model, parameters and file paths, so the same flags give the same task. */
  readonly id?: string;
  /** Relative paths start at this folder. */
  readonly folder: string;
}

export type FrozenGeneration =
  ({ readonly ok: true } & FrozenInStore) | { readonly ok: false; readonly issues: readonly FlagIssue[] };

/**
 * Checks a single task as a production of one shot without a film, and puts the production into the store.
 *
 * @throws the same errors as `freezeProduction`.
 */
export async function freezeGeneration(
  flags: GenerationFlags,
  policy: FileValuePolicy,
  store: Store,
): Promise<FrozenGeneration> {
  const settings = pairs('--set', flags.settings ?? []);
  const files = pairs('--file', flags.files ?? []);
  const values = {
    ...Object.fromEntries(settings.pairs.map(([key, value]) => [key, jsonOrText(value)])),
    ...flags.parameters,
  };
  const issues = [...settings.issues, ...files.issues, ...ownIssues(flags, Object.keys(values))];
  const name = flags.model ?? flags.workflow ?? '';
  const known = knownModel(name);
  const taskId = flags.id ?? 'task';

  const checked = await checkProduction(
    {
      shots: [
        {
          ...values,
          ...filesByName(files.pairs, known !== undefined),
          ...(flags.prompt === undefined ? {} : { prompt: flags.prompt }),
          id: taskId,
          model: name,
        },
      ],
      ...(known === undefined && isDeclared(flags) ? { models: { [name]: entryOf(flags) } } : {}),
    },
    { folder: absolute(flags.folder), fallbackId: 'generation', policy },
  );
  const findings = 'findings' in checked ? checked.findings : [];
  const flagOf = flagNamer(new Set(files.pairs.map(([key]) => key)));
  issues.push(...findings.map((finding) => ({ flag: flagOf(finding), message: finding.message })));
  if (!('findings' in checked)) issues.push(...nestedIssues(taskId, checked.production.shots));
  if ('findings' in checked || issues.length > 0) return { ok: false, issues };

  const { title } = checked.production;
  const shots = await inOrder(checked.production.shots, async (shot) => {
    const model = flags.workflow === undefined ? shot.model : { ...shot.model, workflow: flags.workflow };
    return { ...shot, model, id: flags.id ?? (await idOf({ ...shot, model }, store)) };
  });
  return {
    ok: true,
    ...(await freezeProduction({ id: GENERATIONS, title, shots, maxInFlight: null, onUnclear: 'park' }, store)),
  };
}

function ownIssues(
  { model, workflow, schema, output, id }: GenerationFlags,
  parameters: readonly string[],
): FlagIssue[] {
  const known = knownModel(model ?? workflow ?? '');
  const issues: FlagIssue[] = [];
  if (model === undefined && workflow === undefined)
    issues.push({ flag: '--model', message: 'no model is named; give its id, as --model alpha-3.0-video' });
  if (known !== undefined && (schema !== undefined || output !== undefined))
    issues.push({
      flag: schema === undefined ? '--output' : '--schema',
      message: `${known.title} is known already; leave this flag out`,
    });
  for (const name of SHOTS_OWN) {
    if (parameters.includes(name))
      issues.push({ flag: `--set ${name}`, message: `${name} is for the shots of a production; leave this flag out` });
  }
  if (id !== undefined && !ID_PATTERN.test(id))
    issues.push({ flag: '--id', message: `${shown(id)} is no id; it must match ${ID_PATTERN.source}` });
  return issues;
}

/** Issues for parameters whose values are nested shots: a single task makes only one output. */
function nestedIssues(taskId: string, shots: readonly CheckedShot[]): FlagIssue[] {
  const nested = shots.map(({ id }) => id).filter((id) => id !== taskId);
  return nested.map((id) => ({
    flag: `--set ${id.slice(`${taskId}.`.length)}`,
    message: 'another task would have to make this first; give a file or text, or write a production',
  }));
}

/** True if a flag declares a new model. An unknown `--model` alone may be a typo. */
function isDeclared({ workflow, schema, output }: GenerationFlags): boolean {
  return workflow !== undefined || schema !== undefined || output !== undefined;
}

function entryOf({ workflow, schema, output }: GenerationFlags): object {
  return {
    ...(workflow === undefined ? {} : { workflow }),
    ...(schema === undefined ? {} : { schema }),
    ...(output === undefined ? {} : { output }),
  };
}

function filesByName(files: Pairs['pairs'], modelIsKnown: boolean): Readonly<Record<string, unknown>> {
  const byName: Record<string, unknown> = {};
  for (const name of new Set(files.map(([key]) => key))) {
    const values = files
      .filter(([key]) => key === name)
      .map(([, path]) => (modelIsKnown || isFileName(name) ? path : { file: path }));
    byName[name] = values.length > 1 || (isFileName(name) && FILE_PARAMETERS[name].list) ? values : values[0];
  }
  return byName;
}

function isFileName(name: string): name is keyof typeof FILE_PARAMETERS {
  return Object.hasOwn(FILE_PARAMETERS, name);
}

function flagNamer(files: ReadonlySet<string>): (finding: Finding) => string {
  return ({ path }) => {
    const [top, , name] = path.map(String);
    if (top === 'models') return name === undefined ? '--model' : `--${name}`;
    if (name === undefined) return '--model';
    if (['model', 'prompt', 'id'].includes(name)) return `--${name}`;
    return `${files.has(name) ? '--file' : '--set'} ${name}`;
  };
}

/**
 * An id derived from the model, the parameters, and the absolute paths of the files. The declared output is not part of
 * the id, so flags with a corrected output find the task that is already paid for.
 *
 * In older versions the id also depended on the paths as written. If the ledger has a task under such an id, returns
 * that id, so that the task is not paid for again.
 */
async function idOf({ model, parameters, files }: CheckedShot, { ledger }: Pick<Store, 'ledger'>): Promise<string> {
  const ofFiles = (of: object): string => {
    const asked = JSON.stringify([{ ...model, output: undefined }, parameters, of]);
    return `${toId(model.id).slice(0, 50)}-${createHash('sha256').update(asked).digest('hex').slice(0, 10)}`;
  };
  const older = ofFiles(files);
  const isInLedger = (await ledger.numbers({ productionId: GENERATIONS, shotId: older })).length > 0;
  return isInLedger ? older : ofFiles(Object.entries(files).map(([name, file]) => [name, withoutSpelling(file)]));
}

function withoutSpelling(file: CheckedFile | readonly CheckedFile[]): unknown {
  if (isList(file)) return file.map(withoutSpelling);
  return file.kind === 'local' ? file.path : file;
}

function isList(file: CheckedFile | readonly CheckedFile[]): file is readonly CheckedFile[] {
  return Array.isArray(file);
}
