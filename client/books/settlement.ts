import { type ProductionState } from '../../contracts/states';
import { type ProductionStatus } from '../../contracts/status';
import { isSentBy, currentOutput, ledgerState, type Store, type TakeHistory } from '../../store';
import { currentShots, type TakesInput } from '../records/current-takes';
import { creditsOf, withoutPrice } from '../records/takes';
import { againCommand } from '../status/again-command';
import { readFrozen } from '../records/read-frozen';
import { takesInStore } from '../records/takes-in-store';
import { endedWith, unclearCommand } from '../records/unclear-command';
import { openUnclear } from '../records/unclear-submit';

interface TakeName {
  readonly shot: string;
  readonly take: number;
}

/** The costs and results of a running or ended production, according to the ledger. */
export interface Settlement {
  readonly production: string;
  readonly state: ProductionState;
  readonly spent: {
    /** The sum of the known charges of all takes. */
    readonly credits: number;
    readonly byThisRender: number;
    readonly tasksWithoutPrice: number;
  };
  /** Takes whose output is in the store. Pruned takes are in no list. */
  readonly collected: readonly TakeName[];
  /** Takes that the gateway may or may not have accepted, and that nobody has decided on. */
  readonly unclear: readonly (TakeName & {
    readonly since: string;
    readonly reason: string;
    /**
     * True if the take answers the shot's present request, and no other completed take replaces it. A render then waits
     * for a decision, unless `onUnclear` decides.
     */
    readonly isCurrent: boolean;
    /**
     * The command that decides on the take. If the render has ended and `isCurrent` is true: the command that renders
     * again. That render then asks for a decision, unless `onUnclear` decides.
     */
    readonly command: string;
  })[];
  /** Accepted tasks that have not failed, and whose output is not in the store yet. */
  readonly uncollected: readonly (TakeName & { readonly taskId: string })[];
  readonly failed: readonly (TakeName & { readonly reason: string | null })[];
  /** Shots whose current takes are all unsent or to be sent again. */
  readonly notStarted: readonly string[];
}

export async function settle(store: Store, account: string, status: ProductionStatus): Promise<Settlement> {
  const frozen = await readFrozen(store.assets, status.frozen);
  const again = await againCommand(store, { what: 'production', id: status.production });
  return settlementOf(await takesInStore(store, account, frozen), status, again);
}

/** @param again the command that renders the production again. */
export function settlementOf(
  input: TakesInput,
  { production, state, ...render }: Pick<ProductionStatus, 'production' | 'state' | 'renderId' | 'startedAt'>,
  again: string,
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
    collected: named.filter(({ history }) => currentOutput(history) !== undefined && !history.pruned).map(nameOf),
    unclear: named.flatMap((one) => {
      const unclear = openUnclear(one.history);
      if (unclear === undefined) return [];
      const { since, reason } = unclear;
      const ended = state === 'running' ? undefined : endedWith(current, again);
      const command = unclearCommand({ production, ...one }, booked, ended);
      const isCurrent = endedWith(current, again).standing(one.shot, one.history.take) === 'parks';
      return [{ ...nameOf(one), since, reason, isCurrent, command }];
    }),
    uncollected: named.flatMap((one) => {
      const taskId = currentOutput(one.history) === undefined ? paidTask(one.history) : undefined;
      return taskId === undefined ? [] : [{ ...nameOf(one), taskId }];
    }),
    failed: named.flatMap((one) => {
      const now = ledgerState(one.history);
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
  const now = ledgerState(history);
  if (now.is === 'accepted') return now.taskId;
  return now.is === 'settled' && now.settled.state === 'completed' ? now.settled.taskId : undefined;
}

/** True if the take was never sent, or is to be sent again. */
function isUnsent(take: TakeHistory | undefined): boolean {
  return take === undefined || ledgerState(take).is === 'sendable';
}
