import { type DrillReport } from './drill';

export function formatReport(report: DrillReport): string {
  const { seed, onUnclear, seconds, faults, decided, missed, left, broken } = report;
  const struck = Object.entries(faults).sort(([a], [b]) => (a < b ? -1 : 1));
  const total = struck.reduce((sum, [, count]) => sum + count, 0);
  const rows: readonly (readonly [string, number])[] = [
    ['faults that struck', total],
    ['  of these SIGKILL', report.kills],
    ['productions', report.productions],
    ['retakes', report.retakes],
    ['revisions', report.revisions],
    ['takes', report.takes],
    ['accepted by the gateway', report.accepted],
    ['  of these by execute', report.executes],
    ['credits charged', report.charged],
    ['unclear submits', report.unclear],
    ['submits held after restore', report.held],
    ['sent again by decision', report.resent],
    ...Object.entries(decided)
      .toSorted()
      .map(([kind, count]) => [`decided: ${kind}`, count] as const),
    ['incomplete at first', missed.length],
    ['paid, not collected', left.length],
    ['copies refused', report.copiesRefused],
    ['lost', report.lost],
    ['doubled', report.doubled],
    ['stuck', report.stuck],
    ['histories replayed', report.replays],
  ];
  return [
    `Drill with seed ${seed}, onUnclear: ${onUnclear}, ${seconds} s`,
    '',
    ...rows.map(([name, value]) => `${name.padEnd(28)}${String(value).padStart(8)}`),
    '',
    'Faults by kind',
    ...struck.map(([name, count]) => `  ${name.padEnd(26)}${String(count).padStart(8)}`),
    '',
    ...(missed.length === 0
      ? []
      : ['Incomplete when a render ended, and rendered again', ...missed.map((line) => `  ${line}`), '']),
    ...(left.length === 0 ? [] : ['Paid, and not collected', ...left.map((line) => `  ${line}`), '']),
    ...(broken.length === 0 ? ['All promises hold.'] : ['Promises broken:', ...broken.map((line) => `  ${line}`)]),
    '',
  ].join('\n');
}
