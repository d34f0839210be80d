import { median } from '../../../dist/bench/statistics';
import { type Contender, CONTENDERS } from './contender';
import { type Figures, type SavedWork } from './saved';

/**
 * Lines of a Markdown table. Each contender has a row with medians, and with ranges if its rounds differ. The last rows
 * compare Dailies with the others.
 */
export function table(
  { figures, rounds }: Pick<SavedWork, 'figures' | 'rounds'>,
  contenders: readonly Contender[] = CONTENDERS,
): readonly string[] {
  const columns = columnsOf(figures);
  const rows = contenders.map(({ name, title }) => {
    const done = figures[name] ?? [];
    const less = done.length === rounds ? '' : ` (${done.length} of ${rounds} rounds)`;
    return [`${title}${less}`, ...columns.map((column) => cell(valuesOf(done, column), done.length))];
  });
  const lines = [['', ...columns], ['---', ...columns.map(() => '---:')], ...rows, ...ratios(figures, columns)];
  const widths = lines[0]?.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0))) ?? [];
  return lines.map((line) => `| ${line.map((text, index) => text.padEnd(widths[index] ?? 0)).join(' | ')} |`);
}

/** Rows with Dailies' medians as multiples of the lowest and of the highest median of the others. */
function ratios(figures: SavedWork['figures'], columns: readonly string[]): readonly (readonly string[])[] {
  const { dailies: own = [], ...others } = figures;
  const ratioTo = (pick: (...values: number[]) => number) => (column: string) => {
    const theirs = Object.values(others).map((rounds) => median(valuesOf(rounds, column)));
    const other = pick(...theirs.filter((value) => !Number.isNaN(value)));
    const ratio = median(valuesOf(own, column)) / other;
    // The ratio is not finite if `other` is 0. `other` is infinite if no other contender has the figure.
    return Number.isFinite(ratio) && Number.isFinite(other) ? `× ${short(ratio)}` : '–';
  };
  return [
    ['Dailies over the least of the others', ...columns.map(ratioTo(Math.min))],
    ['Dailies over the most of the others', ...columns.map(ratioTo(Math.max))],
  ];
}

function columnsOf(figures: SavedWork['figures']): readonly string[] {
  const [first = {}] = Object.values(figures).flatMap((rounds) => rounds.slice(0, 1));
  return Object.keys(first);
}

/** Values of the rounds that have this figure. A figure that could not be measured becomes null when it is saved. */
export function valuesOf(rounds: readonly Figures[], column: string): readonly number[] {
  return rounds.map((round) => round[column] ?? NaN).filter((value) => !Number.isNaN(value));
}

/** @param rounds number of completed rounds, some of which may lack the value. */
function cell(values: readonly number[], rounds: number): string {
  if (values.length === 0) return '–';
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const words = low === high ? short(low) : `${short(median(values))} (${short(low)} to ${short(high)})`;
  return values.length === rounds ? words : `${words}, ${values.length} of ${rounds} rounds`;
}

/** Formats integers and values from 100 on without decimals, and other values with three significant digits. */
export function short(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
}
