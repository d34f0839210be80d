import { type ProductionState } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { isSentBy, leftBy, standing, type Store, type TakeHistory } from '../../store';
import { currentShots, type TakesInput } from '../current-takes';
import { creditsOf, withoutPrice } from '../manifest';
import { readFrozen } from '../read-frozen';
import { takesInStore } from '../takes-in-store';
import { unclearCommand, unclearSubmit } from './unclear';

interface TakeName {
  readonly shot: string;
  readonly take: number;
}

/** What a production came to, by the ledger: whatever ended or is ending it, the books are the same. */
export interface Settlement {
  readonly production: string;
  readonly state: ProductionState;
  readonly spent: {
    /** What all its takes were charged, as far as the gateway has said. */
    readonly credits: number;
    readonly byThisRender: number;
    readonly tasksWithoutPrice: number;
  };
  /** Takes whose output is in the store; what was pruned is not, and is named nowhere. */
  readonly collected: readonly TakeName[];
  /** Takes of which nobody can say whether the gateway accepted them. */
  readonly unclear: readonly (TakeName & {
    readonly since: string;
    readonly reason: string;
    readonly command: string;
  })[];
  /** Tasks that are paid for, and whose output is not in the store (yet). */
  readonly uncollected: readonly (TakeName & { readonly taskId: string })[];
  /** Takes that the gateway refused or failed. */
  readonly failed: readonly (TakeName & { readonly reason: string | null })[];
  /** Shots for which nothing was sent, as they are asked for now. */
  readonly notStarted: readonly string[];
}

/** Settles a production's accounts as they stand. */
export async function settle(store: Store, account: string, status: ProductionStatus): Promise<Settlement> {
  const frozen = await readFrozen(store.assets, status.frozen);
  return settlementOf(await takesInStore(store, account, frozen), status);
}

export function settlementOf(
  input: TakesInput,
  { production, state, ...render }: Pick<ProductionStatus, 'production' | 'state' | 'renderId' | 'startedAt'>,
): Settlement {
  const { shots } = input.production;
  const all = [...input.takes].flatMap(([shot, histories]) => histories.map((history) => ({ shot, history })));
  const histories = all.map(({ history }) => history);
  const inOrder = (shot: string): number => shots.findIndex(({ id }) => id === shot);
  const named = all.toSorted((a, b) => inOrder(a.shot) - inOrder(b.shot) || a.history.take - b.history.take);
  const booked = named.map((one) => ({ production, ...one }));
  const current = currentShots(input);
  const isStarted = (id: string): boolean => {
    const { siblings = [], take } = current.get(id) ?? {};
    return ![...siblings, take].every(isUnsent);
  };
  return {
    production,
    state,
    spent: {
      credits: creditsOf(histories).charged,
      byThisRender: creditsOf(histories.filter((history) => isSentBy(history, render))).charged,
      tasksWithoutPrice: withoutPrice(histories),
    },
    collected: named.filter(({ history }) => leftBy(history) !== undefined && !history.pruned).map(nameOf),
    unclear: named.flatMap((one) => {
      const unclear = unclearSubmit(one.history);
      if (unclear === undefined) return [];
      const { since, reason } = unclear;
      return [{ ...nameOf(one), since, reason, command: unclearCommand({ production, ...one }, booked) }];
    }),
    uncollected: named.flatMap((one) => {
      const taskId = leftBy(one.history) === undefined ? paidTask(one.history) : undefined;
      return taskId === undefined ? [] : [{ ...nameOf(one), taskId }];
    }),
    failed: named.flatMap((one) => {
      const now = standing(one.history);
      if (now.is === 'refused') return [{ ...nameOf(one), reason: now.reason }];
      if (now.is !== 'settled' || now.settled.state !== 'failed') return [];
      return [{ ...nameOf(one), reason: now.settled.reason }];
    }),
    notStarted: shots.map(({ id }) => id).filter((id) => !isStarted(id)),
  };
}

function nameOf({ shot, history }: { readonly shot: string; readonly history: TakeHistory }): TakeName {
  return { shot, take: history.take };
}

function paidTask(history: TakeHistory): string | undefined {
  const now = standing(history);
  if (now.is === 'accepted') return now.taskId;
  return now.is === 'settled' && now.settled.state === 'completed' ? now.settled.taskId : undefined;
}

/** Nothing went out, or it was surely not accepted for that moment. */
function isUnsent(take: TakeHistory | undefined): boolean {
  return take === undefined || standing(take).is === 'sendable';
}
