import { type FileValuePolicy } from '../../../contracts/file/file-values';
import { cellValue } from '../text/cell-value';
import { checkProduction } from './check-production';
import { type CheckedShot } from '../checked-production';
import { rowOutputs } from '../row-outputs';
import { isWritten } from '../nested-shots';
import { schemaAt } from '../text/schema-findings';
import { type ModelCatalogue, readModels } from '../shot-model';

export interface GenerationContext {
  readonly defaults: Readonly<Record<string, unknown>>;
  /** As `models` in a production file. */
  readonly models: Readonly<Record<string, object>>;
  /** Relative paths start at this folder. */
  readonly folder: string;
  readonly policy: FileValuePolicy;
}

/** The values of a row that is a single task: model and parameters. */
export interface GenerationValues {
  readonly values: Readonly<Record<string, unknown>>;
  /** Names of the values that are cells of a table, and so are text. */
  readonly cells: ReadonlySet<string>;
}

export interface GenerationFinding {
  /** Index of the row; null if the error is in `defaults` or `models`. */
  readonly row: number | null;
  /** Name of the row's value, or path such as `defaults.model`; null if the error is about the whole row. */
  readonly name: string | null;
  /** Whether the name or the value is wrong. */
  readonly at: 'key' | 'value';
  readonly message: string;
}

export type CheckedRows =
  { readonly shots: readonly CheckedShot[] } | { readonly findings: readonly GenerationFinding[] };

/** Checks single tasks as shots without links. The ids of the resulting shots are placeholders. */
export interface GenerationCheck {
  check(rows: readonly GenerationValues[]): Promise<CheckedRows>;
}

/** Keys of a production's shots that a single task cannot have. */
export const SHOTS_OWN = ['takes', 'review', 'anchor', 'drift'];

/** Keys that a single task cannot have, with the message for each. */
const NOT_OF_A_TASK: ReadonlyMap<string, string> = new Map([
  ...SHOTS_OWN.map((name) => [name, `${name} is for the shots of a production; remove it`] as const),
  ['id', 'a row is named by its key; write key in place of id'],
]);

/** A failed row affects no other row, and `dailies batch retry-failed` retries it, so no person has to decide. */
const ROW_DEFAULTS = { onFailure: 'fail' };

const LINKS = ['lastFrameOf', 'firstFrameOf', 'still', 'stillOf'];

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
        const isParameter = output !== undefined && !said.declaring.has(index);
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

/** The row's values without keys and links that a task cannot have. Converts table cells to the types of the model. */
function typed(
  { values, cells }: GenerationValues,
  defaults: Readonly<Record<string, unknown>>,
  catalogue: ModelCatalogue,
): Readonly<Record<string, unknown>> {
  const name = values['model'] ?? defaults['model'];
  const model = typeof name === 'string' ? catalogue.find(name) : undefined;
  const found = model === undefined || 'message' in model ? undefined : model;
  const entries = Object.entries(values).filter(([key, value]) => !NOT_OF_A_TASK.has(key) && !isLink(key, value));
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
    if (!isLink(name, value)) return [];
    const words = 'a row is a single task without links; give a file or text, or write a production';
    return [{ row, name, at: 'value', message: `${name} uses what another shot makes: ${words}` }];
  });
}

function isLink(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => isLink(name, one));
  if (isWritten(name, value)) return true;
  return typeof value === 'object' && value !== null && LINKS.some((link) => Object.hasOwn(value, link));
}
