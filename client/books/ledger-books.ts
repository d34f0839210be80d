import { type Store } from '../../store';
import { openGap, type RestoredGap, RestoreUnfinished } from '../../store/restored';
import { type BookedTake, bookedTakes, type BrokenTake } from './takes';
import { type Tally, tallyOf } from './tally';
import { openUnclear, unclearCommand } from './unclear';

/** What a restore has left open; either way nothing that the ledger does not know is sent. */
export type Gap = RestoredGap | 'restore unfinished' | null;

/** The books of one account, read from the ledger alone: Temporal and the gateway need not be there. */
export interface LedgerBooks {
  readonly account: string;
  readonly productions: readonly (Tally & { readonly production: string })[];
  readonly total: Tally;
  readonly unclear: readonly OpenUnclear[];
  readonly broken: readonly BrokenTake[];
  /** Takes that other accounts paid for: no part of these books. */
  readonly otherAccounts: readonly { readonly account: string; readonly takes: number }[];
  /** The time of which a restored ledger knows nothing; null for one that is whole. */
  readonly gap: Gap;
}

/** A submit of which nobody can say whether the gateway accepted it, and about which nobody has decided. */
export interface OpenUnclear {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly sentAt: string | null;
  /** Of the request: where the gateway lists it, it names the task. */
  readonly idempotencyKey: string;
  readonly since: string;
  readonly reason: string;
  /** What was sent. */
  readonly model: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** To type, with one of the ways to go on. */
  readonly command: string;
}

/** @param only the production to keep books of; all of them where undefined. */
export async function ledgerBooks(store: Store, account: string, only?: string): Promise<LedgerBooks> {
  const ids = only === undefined ? (await store.records.list('ledger')).toSorted() : [only];
  const booked = await Promise.all(ids.map((id) => bookedTakes(store, id)));
  const all = booked.flatMap(({ takes }) => takes);
  const own = all.filter(({ history }) => history.intent.account === account);
  const of = (id: string): readonly BookedTake[] => own.filter(({ production }) => production === id);
  return {
    account,
    productions: ids
      .filter((id) => of(id).length > 0)
      .map((production) => ({ production, ...tallyOf(of(production).map(({ history }) => history)) })),
    total: tallyOf(own.map(({ history }) => history)),
    unclear: own.flatMap((take) => waitingForDecision(take, own)),
    broken: booked.flatMap(({ broken }) => broken),
    otherAccounts: countByAccount(all.filter((take) => !own.includes(take))),
    gap: await gapOf(store),
  };
}

export async function gapOf({ records }: Store): Promise<Gap> {
  try {
    return (await openGap(records)) ?? null;
  } catch (error) {
    if (error instanceof RestoreUnfinished) return 'restore unfinished';
    throw error;
  }
}

function waitingForDecision(booked: BookedTake, all: readonly BookedTake[]): readonly OpenUnclear[] {
  const { production, shot, history } = booked;
  const unclear = openUnclear(history);
  if (unclear === undefined) return [];
  const { model, parameters } = history.intent;
  return [
    {
      production,
      shot,
      take: history.take,
      sentAt: history.sendings.find(({ n }) => n === unclear.n)?.sent?.at ?? null,
      // MAINTENANCE: keep in step with activities/send-task.ts.
      idempotencyKey: history.intent.takeKey,
      since: unclear.since,
      reason: unclear.reason,
      model: model.id,
      parameters,
      command: unclearCommand(booked, all),
    },
  ];
}

function countByAccount(takes: readonly BookedTake[]): LedgerBooks['otherAccounts'] {
  const accounts = [...new Set(takes.map(({ history }) => history.intent.account))].toSorted();
  return accounts.map((account) => ({
    account,
    takes: takes.filter(({ history }) => history.intent.account === account).length,
  }));
}
