import { type FileValuePolicy } from '../../contracts/file-values';
import { cellValue } from './cell-value';
import { checkProduction } from './check-production';
import { type CheckedShot } from './checked-production';
import { rowOutputs } from './row-outputs';
import { schemaAt } from './schema-findings';
import { type ModelCatalogue, readModels } from './shot-model';

export interface GenerationContext {
  readonly defaults: Readonly<Record<string, unknown>>;
  /** As a production file has them. */
  readonly models: Readonly<Record<string, object>>;
  /** Paths are relative to it. */
  readonly folder: string;
  readonly policy: FileValuePolicy;
}

/** A single task as a row describes it: its model and parameters side by side. */
export interface GenerationValues {
  readonly values: Readonly<Record<string, unknown>>;
  /** Names of the values that are cells of a table, and so text whatever they are to be. */
  readonly cells: ReadonlySet<string>;
}

export interface GenerationFinding {
  /** Index of the row; null if the mistake is in what all of them share. */
  readonly row: number | null;
  /** Of the value; null if it is about the whole row. */
  readonly name: string | null;
  /** Whether the name itself is wrong. */
  readonly at: 'key' | 'value';
  readonly message: string;
}

export type CheckedRows =
  { readonly shots: readonly CheckedShot[] } | { readonly findings: readonly GenerationFinding[] };

/** Checks single tasks as shots that nothing links. Their ids are for the caller to set. */
export interface GenerationCheck {
  check(rows: readonly GenerationValues[]): Promise<CheckedRows>;
}

/** What a single task has nobody to choose or approve for, and no other to link to. */
const NOT_OF_A_TASK: ReadonlyMap<string, string> = new Map(
  Object.entries({
    takes: 'takes is for the shots of a production; remove it',
    review: 'review is for the shots of a production; remove it',
    anchor: 'anchor is for the shots of a production; remove it',
    drift: 'drift is for the shots of a production; remove it',
    id: 'a row is named by its key; write key in place of id',
  }),
);

/** A row that fails leaves the others alone, and is tried again by `retry-failed`: nobody is to be asked for each. */
const ROW_DEFAULTS = { onFailure: 'fail' };

const LINKS = ['lastFrameOf', 'firstFrameOf', 'still', 'stillOf', 'from'];

export async function openGenerationCheck(context: GenerationContext): Promise<GenerationCheck> {
  const { defaults, models, folder, policy } = context;
  const { catalogue } = await readModels(models, folder);
  return {
    async check(rows) {
      const said = rowOutputs(
        rows.map(({ values }) => values),
        models,
      );
      const own = [
        ...rows.flatMap(({ values }, row) => ownFindings(values, row)),
        ...[...said.mistakes].map(([row, message]) => ({ row, name: 'output', at: 'value', message }) as const),
      ];
      const shots = rows.map((one, index) => {
        const { output, ...others } = typed(one, defaults, catalogue);
        const isParameter = output !== undefined && !said.saying.has(index);
        return { ...others, ...(isParameter ? { output } : {}), id: `row-${index + 1}` };
      });
      const checked = await checkProduction(
        { defaults: { ...ROW_DEFAULTS, ...defaults }, models: { ...models, ...said.models }, shots },
        { folder, fallbackId: 'rows', policy },
      );
      if (!('findings' in checked) && own.length === 0) return { shots: checked.production.shots };
      const found = 'findings' in checked ? checked.findings : [];
      return {
        findings: [
          ...own,
          ...found.map(({ path: [top, index, name], at, message }) =>
            top === 'shots' && typeof index === 'number'
              ? { row: index, name: name === undefined ? null : String(name), at, message }
              : { row: null, name: [top, index, name].filter((part) => part !== undefined).join('.'), at, message },
          ),
        ],
      };
    },
  };
}

/** The values as the model takes them, without those that no task has. */
function typed(
  { values, cells }: GenerationValues,
  defaults: Readonly<Record<string, unknown>>,
  catalogue: ModelCatalogue,
): Readonly<Record<string, unknown>> {
  const name = values['model'] ?? defaults['model'];
  const model = typeof name === 'string' ? catalogue.find(name) : undefined;
  const found = model === undefined || 'message' in model ? undefined : model;
  const entries = Object.entries(values).filter(([key, value]) => !NOT_OF_A_TASK.has(key) && !isLink(value));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (!cells.has(key) || typeof value !== 'string') return [key, value];
      const known =
        found && (schemaAt(found.shotSchema, [key]) ?? (found.ownSchema && schemaAt(found.ownSchema, [key])));
      return [key, cellValue(value, known)];
    }),
  );
}

function ownFindings(values: Readonly<Record<string, unknown>>, row: number): readonly GenerationFinding[] {
  return Object.entries(values).flatMap(([name, value]): readonly GenerationFinding[] => {
    const message = NOT_OF_A_TASK.get(name);
    if (message !== undefined) return [{ row, name, at: 'key', message }];
    if (!isLink(value)) return [];
    const words = 'a row is one task, and links to no other; give a file or text, or write a production';
    return [{ row, name, at: 'value', message: `${name} uses what another shot makes: ${words}` }];
  });
}

function isLink(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isLink);
  return typeof value === 'object' && value !== null && LINKS.some((link) => Object.hasOwn(value, link));
}
