import { fewAtOnce, type RestoredGap, RestoreUnfinished, type Store, type TakeHistory } from '../../store';
import { type BookedTake, bookedTakesOfAll, type UnreadableTake } from '../records/booked-takes';
import { againCommand } from '../status/again-command';
import { hasEnded } from '../status/stored-status';
import { type Tally, tallyOf } from './tally';
import { type EndedRender, endedRender, unclearCommand } from '../records/unclear-command';
import { openUnclear } from '../records/unclear-submit';

/** The time that a restored ledger does not cover. A take that may have been sent in this time parks as unclear. */
export type Gap = RestoredGap | 'restore unfinished' | null;

/** The books of one account. They are read from the store only. */
export interface LedgerBooks {
  readonly account: string;
  readonly productions: readonly (Tally & { readonly production: string })[];
  readonly total: Tally;
  readonly unclear: readonly OpenUnclear[];
  /** Includes other accounts, because a damaged record may not show its account. */
  readonly broken: readonly UnreadableTake[];
  /** Numbers of other accounts' takes, which are not part of these books. */
  readonly otherAccounts: readonly { readonly account: string; readonly takes: number }[];
  readonly gap: Gap;
}

/** A submit that the gateway may or may not have accepted, and that waits for a decision. */
export interface OpenUnclear {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly sentAt: string | null;
  /** The key that was sent with the request. The gateway's list of tasks may show it. */
  readonly idempotencyKey: string;
  readonly since: string;
  readonly reason: string;
  readonly model: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * The person's next command for the take (see `unclearCommand`). If it lists several options, the person keeps one of
   * them.
   */
  readonly command: string;
}

/** Reads the books of an account, for all productions or for the production `only`. */
export async function ledgerBooks(store: Store, account: string, only?: string): Promise<LedgerBooks> {
  const ids = only === undefined ? (await store.ledger.productions()).toSorted() : [only];
  const booked = await bookedTakesOfAll(store, ids);
  const isOwn = ({ history }: BookedTake): boolean => history.intent.account === account;
  const own = booked.takes.filter(isOwn);
  const ended = new Map<string, Promise<EndedRender | undefined>>();
  /** Reads a render once for each production, because a production may have many unclear takes. */
  const endedOf = (production: string): Promise<EndedRender | undefined> => {
    const found = ended.get(production) ?? endedRenderOf(store, account, production);
    ended.set(production, found);
    return found;
  };
  const histories = new Map<string, TakeHistory[]>();
  for (const { production, history } of own) {
    const ofProduction = histories.get(production) ?? [];
    histories.set(production, ofProduction);
    ofProduction.push(history);
  }
  return {
    account,
    productions: [...histories].map(([production, ofProduction]) => ({ production, ...tallyOf(ofProduction) })),
    total: tallyOf(own.map(({ history }) => history)),
    unclear: (await fewAtOnce(own, (take) => openUnclearOf(take, own, endedOf))).flat(),
    broken: booked.broken,
    otherAccounts: countByAccount(booked.takes.filter((take) => !isOwn(take))),
    gap: await gapOf(store),
  };
}

/** Reads the ledger's gap; null if no restore has left a gap, or if a person has cleared the gap. */
export async function gapOf({ restores }: Store): Promise<Gap> {
  try {
    return (await restores.openGap()) ?? null;
  } catch (error) {
    if (error instanceof RestoreUnfinished) return 'restore unfinished';
    throw error;
  }
}

async function openUnclearOf(
  booked: BookedTake,
  all: readonly BookedTake[],
  endedOf: (production: string) => Promise<EndedRender | undefined>,
): Promise<readonly OpenUnclear[]> {
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
      // MAINTENANCE: keep in step with activities/pay/send-task.ts.
      idempotencyKey: history.intent.takeKey,
      since: unclear.since,
      reason: unclear.reason,
      model: model.id,
      parameters,
      command: unclearCommand(booked, all, await endedOf(production)),
    },
  ];
}

async function endedRenderOf(store: Store, account: string, production: string): Promise<EndedRender | undefined> {
  const status = await store.productions.archived(production);
  if (status === undefined || !(await hasEnded(store, production))) return undefined;
  return endedRender(store, account, status, await againCommand(store, { what: 'production', id: production }));
}

function countByAccount(takes: readonly BookedTake[]): LedgerBooks['otherAccounts'] {
  const accounts = [...new Set(takes.map(({ history }) => history.intent.account))].toSorted();
  return accounts.map((account) => ({
    account,
    takes: takes.filter(({ history }) => history.intent.account === account).length,
  }));
}
