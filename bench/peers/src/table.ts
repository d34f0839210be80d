import { CONTENDERS } from './contender';
import { type SavedWork } from './saved';
import { median } from './works';

/** Lines of a table in Markdown: a row for each contender, in each cell the median, and the range of more rounds. */
export function table(figures: SavedWork['figures']): readonly string[] {
  const columns = Object.keys(Object.values(figures)[0]?.[0] ?? {});
  const rows = CONTENDERS.filter(({ name }) => name in figures).map(({ name, title }) => [
    title,
    ...columns.map((column) => cell((figures[name] ?? []).map((round) => round[column] ?? NaN))),
  ]);
  const lines = [['', ...columns], ['---', ...columns.map(() => '---:')], ...rows];
  const widths = lines[0]?.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0))) ?? [];
  return lines.map((line) => `| ${line.map((text, index) => text.padEnd(widths[index] ?? 0)).join(' | ')} |`);
}

function cell(figures: readonly number[]): string {
  // A round in which it could not be measured does not count.
  const values = figures.filter((value) => !Number.isNaN(value));
  if (values.length === 0) return '–';
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.length === 1 ? short(low) : `${short(median(values))} (${short(low)} to ${short(high)})`;
}

/** Three digits that count. */
function short(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
}
