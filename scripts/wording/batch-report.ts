import { counted } from '../../contracts/counted';
import { type BatchPlan, type BatchReport, type LiveBatch } from '../../client/batch';
import { type StartedBatch } from '../../client/batch';
import { type BatchBounds, DEFAULT_PARALLEL } from '../../contracts/render/batch';
import { quoteInWords } from '../../client/plan/plan-in-words';
import { tellOfNotices, withoutPriceInWords } from './report';
import { expectedInWords } from '../../client/plan/expected-in-words';
import { pausedInWords } from '../../client/status/wait-reason';
import { table } from '../../client/wording/table';
import { print, tell } from '../process/streams';

/** Maximum number of `failures`, and of `parked` rows, to list one by one. */
const SHOWN = 20;

const NAMES = {
  completed: 'completed',
  underWay: 'under way',
  parked: 'parked',
  failed: 'failed',
  skipped: 'skipped',
  cancelled: 'cancelled',
  pending: 'pending',
} as const satisfies Record<keyof BatchReport['counts'], string>;

export function printBatch(report: BatchReport): void {
  const { batch, title, state, reason, rows, counts, credits, tasksWithoutPrice, failures, parked } = report;
  const { readyBy, paused, expected, notices, out } = report;
  const byState = Object.entries(NAMES).map(([name, words]) => [words, counts[name as keyof typeof NAMES]] as const);
  print([
    `${title === batch ? batch : `${batch}, ${title}`}: ${state}${reason === null ? '' : ` (${reason})`}`,
    ...table([
      ['rows', String(rows)],
      ...byState.flatMap(([words, count]) => (count === 0 ? [] : [[words, String(count)] as const])),
      ['credits', `${credits} charged for the last result of each row${withoutPriceInWords(tasksWithoutPrice)}`],
      ...(readyBy === null ? [] : [['ready by', readyByInWords(readyBy)] as const]),
      ...(expected === null ? [] : [['expected', expectedInWords(expected, Date.now())] as const]),
      ...(out === null ? [] : [['results', out] as const]),
    ]),
  ]);
  if (paused !== null) tell(`${batch} is ${pausedInWords(batch, paused)}`);
  if (readyBy?.warning != null) tell(`To be ready by ${readyBy.at}: ${readyBy.warning}.`);
  tellOfNotices(batch, notices);
  for (const { key, state: ended, reason: why } of failures.slice(0, SHOWN)) {
    print(`  ${key}: ${ended}${why === null ? '' : `, ${why}`}`);
  }
  if (failures.length > SHOWN)
    print(`  … and ${failures.length - SHOWN} more; \`dailies batch results ${batch}\` lists all`);
  for (const { key, reason: why, command } of parked.slice(0, SHOWN)) tell(`"${key}" waits (${why ?? ''}): ${command}`);
  if (parked.length > SHOWN) tell(`… and ${parked.length - SHOWN} more rows wait`);
  if (parked.length > SHOWN) {
    tell(`  to answer all unclear takes at once: dailies resolve ${batch} --all --for unclear --resubmit | --skip`);
  }
  if (state === 'running') return;
  if (out === null) tell(`To have the results as files: dailies batch results ${batch}`);
  if (counts.failed > 0) tell(`To try the failed rows again: dailies batch retry-failed ${batch}`);
  if (counts.cancelled + counts.pending > 0) {
    tell(`To render all rows that are missing: dailies batch retry-failed ${batch} --missing`);
  }
}

/** Warns if another account rendered the rows: its results do not count for the current account. */
export function tellOfPayer({ batch, account: payer }: Pick<BatchReport, 'batch' | 'account'>, account: string): void {
  if (payer === account) return;
  tell(
    `Batch "${batch}" was last rendered for the account ${payer}. The current account is ${account}: results that ` +
      `${payer} paid for do not count for it.`,
  );
}

function readyByInWords({ at, urgentFrom, lastMoment, fallback }: NonNullable<BatchReport['readyBy']>): string {
  return [
    at,
    ...(urgentFrom === null ? [] : [`urgent from ${urgentFrom} on`]),
    ...(lastMoment === null ? [] : [`the fallback from ${lastMoment} on`]),
    ...(fallback === 0 ? [] : [`${counted(fallback, 'row')} rendered by the fallback`]),
  ].join(', ');
}

/** The rows that a start of the batch would render now, and their price. */
export function plannedInWords(batchId: string, { rows, open, first, quote, unchecked }: BatchPlan): readonly string[] {
  const rowsInAll = `${batchId}: ${counted(rows, 'valid row')}, ${open} of them to render`;
  const price = open === 0 ? '' : `, ${quote.unknown === 0 ? 'for about ' : ''}${quoteInWords(quote)}`;
  const more = open > first.length ? [`… and ${open - first.length} more`] : [];
  const named = open === 0 || open === rows ? [] : [`  to render: ${[...first, ...more].join(', ')}`];
  const asTheyAre = Object.entries(unchecked).map(
    ([model, names]) =>
      `  Dailies does not know the model ${model}; these parameters are sent unchecked: ${names.join(', ')}`,
  );
  return [`${rowsInAll}${price}. Nothing was sent or stored.`, ...named, ...asTheyAre];
}

export function startedInWords(batchId: string, { is, rows, open }: StartedBatch): string {
  const all = counted(rows, 'row');
  switch (is) {
    case 'nothing':
      return `Batch "${batchId}": all of its ${all} are completed; nothing is rendered.`;
    case 'joined':
      return `Going on with batch "${batchId}": ${open} of ${all} to render.`;
    case 'begun':
      return open === rows
        ? `Batch "${batchId}": rendering ${all}.`
        : `Batch "${batchId}": rendering ${open} of ${all}; the others cost nothing.`;
  }
}

const RULES = {
  parallel: ['--parallel', String(DEFAULT_PARALLEL)],
  stopAfterFailures: ['--stop-after-failures', 'no limit'],
  priority: ['--priority', 'batch'],
} as const satisfies Record<keyof BatchBounds, readonly [string, string]>;

/**
 * Names the rules of a command that a running batch ignores, because it keeps its own. Undefined if it ignores none.
 *
 * @param given the rules that the command line or the file sets.
 */
export function ignoredInWords(given: Partial<BatchBounds>, running: BatchBounds): string | undefined {
  const ignored = Object.entries(RULES).flatMap(([name, [option, byDefault]]) => {
    const [wanted, own] = [given[name as keyof BatchBounds], running[name as keyof BatchBounds]];
    if (wanted == null || wanted === (own ?? byDefault)) return [];
    return [`${option} ${wanted} (it has ${own ?? byDefault})`];
  });
  if (ignored.length === 0) return undefined;
  return `The batch already runs and keeps its own rules. Ignored: ${ignored.join(', ')}.`;
}

export function progressInWords({ status }: LiveBatch): string {
  if (status === undefined) return '';
  const { open, counts, underWay, reason } = status;
  const ended = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]));
  const parts = [...ended, `${underWay.length} under way`, `of ${open}`];
  return `${parts.join(', ')}${reason === null ? '' : ` (${reason})`}`;
}
