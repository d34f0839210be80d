/**
 * All kinds of differences between ledger, store, histories and gateway, with their meaning.
 *
 * MAINTENANCE: keep in step with the table in docs/ledger.md; a test compares them.
 */
export const DIFFERENCES = {
  'asset-missing': 'The bytes are not in the store.',
  'asset-truncated': 'The store has fewer or more bytes than were stored.',
  'asset-altered': 'The bytes in the store are not those that were stored; the disk or somebody changed them.',
  'asset-unreadable': 'The bytes in the store cannot be read.',
  'part-left': 'A download left a part file. Its output is stored, so the part only takes up room.',
  unclear: 'It is not known whether the gateway accepted the take. Only a decision or `onUnclear` sends it again.',
  'not-collected': 'The gateway accepted the task, its output is not in the store, and nobody has given the task up.',
  'charged-twice': 'The gateway accepted one take twice, and probably charged it twice.',
  'task-shared': 'The gateway gave one task id to two takes: one of them may have been charged for nothing.',
  'charge-differs': 'The charge in the ledger differs from that in the history or at the gateway.',
  'state-differs': 'The ledger and the gateway disagree on how the task ended.',
  'end-not-in-ledger': 'The history has the end of the task, and the ledger does not.',
  'task-not-in-ledger': 'A history has a paid task that the ledger lacks. A render could pay for it again.',
  'take-without-history': 'No history has the task, neither at Temporal nor in the archive.',
  'sent-missing': 'The record that a sending was begun is lost or cut short. The take counts as sent.',
  'records-broken': 'The ledger has records of the take that cannot be read.',
} as const;
export type DifferenceKind = keyof typeof DIFFERENCES;

/** The take that a difference concerns; null for the whole production. */
export interface Place {
  readonly shot: string | null;
  readonly take: number | null;
}

export interface Difference extends Place {
  readonly kind: DifferenceKind;
  readonly what: string;
  readonly meaning: string;
  /** The command that repairs the difference; null if there is none. */
  readonly command: string | null;
}

export function difference(
  kind: DifferenceKind,
  { shot, take }: Place,
  what: string,
  command: string | null,
): Difference {
  return { kind, shot, take, what, meaning: DIFFERENCES[kind], command };
}

/** The command that rebuilds ledger records from the production's histories. */
export function rebuildCommand(production: string): string {
  return `dailies ledger ${production} --rebuild`;
}
