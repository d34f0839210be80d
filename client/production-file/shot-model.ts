import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type FrozenModel } from '../../contracts/render/frozen';
import {
  type FileKind,
  FILE_PARAMETERS,
  KNOWN_MODELS,
  type KnownModel,
  knownModel,
} from '../../contracts/gateway/models';
import { type ModelEntry, OtherShot, shotSchemaOf } from '../../contracts/file/production';
import { type Finding, wrongKey, wrongValue } from '../wording/finding';
import { nearestName } from '../wording/nearest-name';
import { keysAt } from './text/schema-findings';
import { readSourceText } from './text/source-text';
import { anyOf, shown } from '../wording/phrases';

/** A shot's model and the known facts about its parameters. */
export interface ShotModel {
  readonly frozen: FrozenModel;
  /** The model's name in messages. */
  readonly title: string;
  readonly known: KnownModel | undefined;
  readonly shotSchema: z.ZodType;
  /** The parameters' schema from the production file; undefined if the file gives none, or an unusable one. */
  readonly ownSchema: z.ZodType | undefined;
  /** Whether the model's tasks end well within 20 s, the limit of an `execute` call. Absent if not declared. */
  readonly quick?: boolean;
  /** Present if the model is neither known nor declared. */
  readonly isUndeclared?: true;
  /** Names of the known parameters. */
  readonly parameters: readonly string[];
}

export interface ModelCatalogue {
  /** Titles of the known and declared models. */
  readonly titles: readonly string[];
  /**
   * Finds a model by id, title or workflow name. An unknown name that looks like a typo gives a message and the model
   * that was probably meant; any other unknown name gives an undeclared model.
   */
  find(name: string): ShotModel | { readonly message: string; readonly meant: ShotModel };
}

/** For comparison: the shot schema of a known model has about 10,000 bytes. */
const MOST_SCHEMA_BYTES = 1024 * 1024;

/** Reads the models that a production file declares, with their schemas. The catalogue also has the known models. */
export async function readModels(
  entries: Readonly<Record<string, ModelEntry>>,
  folder: string,
): Promise<{ readonly catalogue: ModelCatalogue; readonly findings: readonly Finding[] }> {
  const findings: Finding[] = [];
  const models = KNOWN_MODELS.map(asShotModel);
  for (const [id, entry] of Object.entries(entries)) {
    const known = knownModel(id);
    if (known !== undefined) {
      const message = `${id} is known already; remove it from models`;
      findings.push(wrongKey(['models', id], message));
      continue;
    }
    const own = entry.schema === undefined ? undefined : await readOwnSchema(resolve(folder, entry.schema));
    if (typeof own === 'string') findings.push(wrongValue(['models', id, 'schema'], `${shown(entry.schema)} ${own}`));
    models.push(otherModel(id, entry, typeof own === 'string' ? undefined : own));
  }
  return { catalogue: catalogueOf(models), findings };
}

/** The kind of file that a parameter takes; undefined if `FILE_PARAMETERS` lacks the parameter. */
export function fileKind(parameter: string): { readonly kind: FileKind; readonly list: boolean } | undefined {
  return Object.entries(FILE_PARAMETERS).find(([name]) => name === parameter)?.[1];
}

/** Message for a parameter that `model` lacks. Undefined if no known model has it, or if `model` is not known. */
export function parameterOfAnother(parameter: string, model: ShotModel): string | undefined {
  const owners = knownOwners(parameter);
  if (model.known === undefined || owners.length === 0) return undefined;
  return `${parameter} is a parameter of ${anyOf(owners)}, not of ${model.title}; remove it or choose another model`;
}

/** Used if a shot has no valid model, so that the rules common to all models are still checked. */
export const UNNAMED_MODEL: ShotModel = { ...otherModel('a-model-to-be-named', {}, undefined), title: 'the model' };

function catalogueOf(models: readonly ShotModel[]): ModelCatalogue {
  const byName = new Map(models.flatMap((model) => namesOf(model).map((name) => [name, model] as const)));
  return {
    titles: models.map(({ title }) => title),
    find(name) {
      const model = byName.get(name);
      if (model !== undefined) return model;
      const near = nearestName(name, byName.keys());
      const meant = near === undefined ? undefined : byName.get(near);
      if (meant === undefined) return { ...otherModel(name, {}, undefined), isUndeclared: true };
      return {
        meant,
        message: `unknown model ${shown(name)}. Did you mean ${shown(near)}? If the name is right, declare the model under models, with its output.`,
      };
    },
  };
}

function namesOf({ frozen, known }: ShotModel): readonly string[] {
  if (known !== undefined) return [known.id, known.workflow, known.title];
  return frozen.workflow === undefined ? [frozen.id] : [frozen.id, frozen.workflow];
}

function asShotModel(known: KnownModel): ShotModel {
  return {
    frozen: { id: known.id, output: known.output },
    title: known.title,
    known,
    shotSchema: shotSchemaOf(known),
    ownSchema: undefined,
    parameters: Object.keys(known.parameters.shape),
  };
}

function otherModel(
  id: string,
  { workflow, output = 'video', quick }: ModelEntry,
  ownSchema: z.ZodType | undefined,
): ShotModel {
  return {
    frozen: { id, ...(workflow === undefined ? {} : { workflow }), output },
    title: id,
    known: undefined,
    shotSchema: OtherShot,
    ownSchema,
    ...(quick === undefined ? {} : { quick }),
    parameters: ownSchema === undefined ? [] : keysAt(ownSchema, []),
  };
}

/** Titles of the known models that have the parameter. */
function knownOwners(parameter: string): readonly string[] {
  return KNOWN_MODELS.filter(({ parameters }) => Object.hasOwn(parameters.shape, parameter)).map(({ title }) => title);
}

/** The schema, or an error message. */
async function readOwnSchema(path: string): Promise<z.ZodType | string> {
  let text: string;
  try {
    const entry = await stat(path);
    if (!entry.isFile()) return 'is no regular file; it must be the path of a JSON Schema';
    if (entry.size > MOST_SCHEMA_BYTES)
      return `has ${entry.size} bytes; a JSON Schema has at most ${MOST_SCHEMA_BYTES}`;
    text = await readFile(path, 'utf8');
  } catch {
    return 'cannot be read; it must be the path of a JSON Schema';
  }
  const { value, issues } = readSourceText(text);
  const [issue] = issues;
  if (issue !== undefined) return `is broken in line ${issue.line}: ${issue.message}`;
  if (typeof value !== 'object' || value === null) return `holds ${shown(value)}; it must be a JSON Schema, a map`;
  try {
    return z.fromJSONSchema(value as z.core.JSONSchema.JSONSchema);
  } catch (error) {
    return `cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}
