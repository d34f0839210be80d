import { type z } from 'zod';
import { knownModel } from '../../contracts/gateway/models';
import { shotSchemaOf } from '../../contracts/file/production';
import { fillTemplate, namesIn } from '../../contracts/file/template';
import { cellValue } from '../production-file';
import { type Path } from '../wording/finding';
import { dotted } from '../wording/phrases';
import { nearestName } from '../wording/nearest-name';
import { schemaAt, valueAt } from '../production-file/text/schema-findings';
import { shown } from '../wording/phrases';
import { type Template } from './batch-source';
import { placeIn, type RawRow } from './raw-row';
import { type RowIssue } from './row-issue';

/** A row with its values filled into the batch's template, if the batch has a template. */
export interface FilledRow {
  readonly raw: RawRow;
  readonly values: Readonly<Record<string, unknown>>;
  /** Names of the top-level values that are cells of a table. */
  readonly cells: ReadonlySet<string>;
  /** Issues about values that the template needs from the row. Such a value is missing, or cannot be part of a text. */
  readonly lacks: readonly RowIssue[];
  /** Returns an issue for a wrong value, at the place to correct; none if `lacks` already reports the value. */
  issuesAt(path: Path, message: string): readonly RowIssue[];
}

type Values = Readonly<Record<string, unknown>>;

/** Names of a production's values that stay text if no schema applies, even if the cell looks like a number. */
const TEXTS = new Set(['id', 'key', 'title', 'prompt', 'caption', 'text', 'file', 'model', 'music']);

/** @param later names of variables that a scheduled run fills in, so they need no column. */
export function filledRow(raw: RawRow, template: Template | null, later: readonly string[] = []): FilledRow {
  return template === null ? plainRow(raw) : fromTemplate(raw, template, later);
}

function plainRow(raw: RawRow): FilledRow {
  const { file, line, row, values, isTable } = raw;
  return {
    raw,
    values,
    cells: new Set(isTable ? Object.keys(values) : []),
    lacks: [],
    issuesAt: (path, message) => [
      { file, line, row, column: path.length === 0 ? null : dotted(path), message, ...placeIn(raw, path) },
    ],
  };
}

function fromTemplate(raw: RawRow, template: Template, later: readonly string[]): FilledRow {
  const { file, line, row } = raw;
  const { value, whole, unfit, ...filled } = fillTemplate(template.value, raw.values);
  const missing = filled.missing.filter(({ name }) => !later.includes(name));
  const missingAt = new Map<string, Path>();
  for (const { name, path } of missing) if (!missingAt.has(name)) missingAt.set(name, path);
  const unfitValues = new Map(unfit.map(({ name, value: found }) => [name, found]));
  const cells = raw.isTable ? whole : [];
  const values = value as Values;
  return {
    raw,
    values: template.makes === 'production' ? withTypes(values, cells) : values,
    cells: new Set(cells.flatMap((path) => (path.length === 1 ? String(path[0]) : []))),
    lacks: [
      ...[...missingAt].map(([name, path]) => missingName(name, raw, template, path)),
      ...[...unfitValues].map(([name, found]) => {
        return { file, line, row, column: name, message: unfitInWords(found), ...placeIn(raw, [name]) };
      }),
    ],
    issuesAt(path, message) {
      if (path.length === 0) return [{ file, line, row, column: null, message, ...placeIn(raw, []) }];
      const names = [...new Set(namesIn(valueAt(template.value, path)))];
      if (names.some((name) => missingAt.has(name) || unfitValues.has(name))) return [];
      if (names.length > 0) {
        const places = placeIn(raw, ...names.map((name) => [name]));
        return [{ file, line, row, column: names.join(', '), message, ...places }];
      }
      // No row fills this value, so the error is in the template itself and the same for every row.
      return [{ file: template.file, ...template.placeOf(path), row: null, column: null, message }];
    },
  };
}

function unfitInWords(value: unknown): string {
  if (value === null) return 'the value is null, and the template puts it into a text';
  const kind = Array.isArray(value) ? 'a list' : 'a map';
  return `the value is ${kind}, and the template puts it into a text; write text, a number, true or false`;
}

function missingName(name: string, raw: RawRow, template: Template, path: Path): RowIssue {
  const { file, line, row, columns = Object.keys(raw.values), isTable } = raw;
  if (isTable && columns.includes(name)) {
    return { file, line, row, column: name, message: 'the cell is empty, and the template takes a value from it' };
  }
  const near = nearestName(name, columns);
  const hint = near === undefined ? columnsInWords(columns) : `did you mean {{${near}}}?`;
  const message = `{{${name}}} names no column; ${hint}`;
  if (isTable) return { file: template.file, ...template.placeOf(path), row: null, column: null, message };
  const lack = `the row has no ${shown(name)}, which the template needs`;
  return { file, line, row, column: name, message: lack, ...placeIn(raw, []) };
}

function columnsInWords(columns: readonly string[]): string {
  if (columns.length < 2) return `the only column is ${columns.join('')}`;
  return `the columns are ${columns.slice(0, -1).join(', ')} and ${columns.at(-1) ?? ''}`;
}

/**
 * Converts each cell that fills a whole value. A shot's value gets the type that the schema of a known model expects.
 * Any other value becomes a number or boolean if it looks like one, unless `TEXTS` has the value's name.
 */
function withTypes(values: Values, cells: readonly Path[]): Values {
  if (cells.length === 0) return values;
  const copy = structuredClone(values);
  for (const path of cells) {
    const last = path.at(-1);
    const holder = valueAt(copy, path.slice(0, -1));
    if (last === undefined || typeof holder !== 'object' || holder === null) continue;
    const cell = (holder as Record<string | number, unknown>)[last];
    if (typeof cell === 'string') (holder as Record<string | number, unknown>)[last] = typedCell(cell, path, copy);
  }
  return copy;
}

function typedCell(cell: string, path: Path, production: Values): unknown {
  const [top, index, name] = path;
  const last = path.at(-1);
  if (top === 'shots' && path.length === 3 && typeof name === 'string') {
    const schema = shotSchema(
      valueAt(production, ['shots', index ?? 0, 'model']) ?? valueAt(production, ['defaults', 'model']),
    );
    const part = schema && schemaAt(schema, [name]);
    if (part !== undefined) return cellValue(cell, part);
  }
  return typeof last === 'string' && TEXTS.has(last) ? cell : cellValue(cell, undefined);
}

function shotSchema(model: unknown): z.ZodObject | undefined {
  const known = typeof model === 'string' ? knownModel(model) : undefined;
  return known && shotSchemaOf(known);
}
