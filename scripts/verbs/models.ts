import { z } from 'zod';
import { Refused } from '../../client/wording/refused';
import { nearestName } from '../../client/wording/nearest-name';
import { FILE_PARAMETERS, KNOWN_MODELS, type KnownModel, knownModel } from '../../contracts/gateway/models';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { table } from '../../client/wording/table';
import { print, printJson } from '../process/streams';

/** The fields of a parameter's JSON Schema that are shown as text. */
interface Parameter {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** Shows the models whose parameters Dailies knows, or all parameters of one model. */
export function models(name: string | undefined, { json }: { readonly json?: boolean }): ExitCode {
  const shown = name === undefined ? KNOWN_MODELS : [findModel(name)];
  if (json === true) printJson(shown.map(described));
  else if (name === undefined) printList();
  else for (const model of shown) printModel(model);
  return EXIT.completed;
}

function findModel(name: string): KnownModel {
  const model = knownModel(name);
  if (model !== undefined) return model;
  const known = KNOWN_MODELS.map(({ id }) => id).join(', ');
  const near = nearestName(
    name,
    KNOWN_MODELS.flatMap(({ id, title, workflow }) => [id, title, workflow]),
  );
  throw new Refused(
    `Dailies does not know the parameters of "${name}", only those of ${known}` +
      `${near === undefined ? '' : `; did you mean "${near}"`}; ` +
      'any other model of the gateway can be used by its id',
  );
}

function described(model: KnownModel): object {
  const { id, workflow, title, output } = model;
  const { properties, required = [] } = schemaOf(model);
  return { id, workflow, title, output, required, parameters: properties };
}

function printList(): void {
  for (const { id, title, workflow, output } of KNOWN_MODELS) print(`${id}  ${title}, ${output}, workflow ${workflow}`);
  print([
    '',
    'Any other model of the gateway can be used by its id. `dailies models ID` shows the parameters of a listed model.',
  ]);
}

function printModel(model: KnownModel): void {
  const { properties, required = [] } = schemaOf(model);
  const rows = Object.entries(properties).map(([name, parameter]) => {
    const need = required.includes(name) ? 'required' : fallback(parameter);
    return [name, [typeInWords(name, parameter), need].filter(Boolean).join('; ')] as const;
  });
  print([`${model.title}: ${model.id}, workflow ${model.workflow}, ${model.output}`, ...table(rows)]);
}

function schemaOf({ parameters }: KnownModel): { properties: Record<string, Parameter>; required?: string[] } {
  // With `io: 'input'` the schema describes a caller's input, in which parameters with a default are optional.
  return z.toJSONSchema(parameters, { io: 'input' }) as ReturnType<typeof schemaOf>;
}

function typeInWords(name: string, { type, enum: values, minimum, maximum, maxLength }: Parameter): string {
  const file = Object.entries(FILE_PARAMETERS).find(([parameter]) => parameter === name)?.[1];
  if (file !== undefined) return file.list ? `list of ${file.kind} files` : `${file.kind} file`;
  if (values !== undefined) return values.map(String).join(', ');
  const bounds = minimum === undefined || maximum === undefined ? '' : `, ${minimum} to ${maximum}`;
  return `${type ?? 'any'}${bounds}${maxLength === undefined ? '' : `, at most ${maxLength} characters`}`;
}

function fallback({ default: value }: Parameter): string {
  return value === undefined ? '' : `default ${JSON.stringify(value).replaceAll('"', '')}`;
}
