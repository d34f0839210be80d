import { type Manifest } from '../../contracts/manifest';
import { exactCredits } from '../../contracts/money/credits';
import { type TakeState } from '../../contracts/states';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { isAliasWithoutOutput, ledgerState, type Store, type TakeHistory } from '../../store';
import { bookedTakes } from './booked-takes';
import { unclearSubmit } from './unclear-submit';

/**
 * The takes of a production that belong to this account, by shot. Takes with unreadable records are left out; `dailies
 * audit` reports them.
 */
export async function takesOf(
  store: Pick<Store, 'ledger'>,
  account: string,
  productionId: string,
): Promise<ReadonlyMap<string, readonly TakeHistory[]>> {
  const { takes } = await bookedTakes(store, productionId);
  const byShot = new Map<string, TakeHistory[]>();
  for (const { shot, history } of takes) {
    if (history.intent.account !== account) continue;
    const own = byShot.get(shot) ?? [];
    byShot.set(shot, own);
    own.push(history);
  }
  return byShot;
}

/**
 * The takes that are shown for a shot. After the production has ended, takes that could still be sent are left out,
 * because no task of them is known.
 */
export function shownTakes({ state }: ProductionStatus, takes: readonly TakeHistory[] = []): readonly TakeHistory[] {
  return state === 'running' ? takes : takes.filter((take) => ledgerState(take).is !== 'sendable');
}

/** The number of a shot's chosen take; null if it has none, or if the shot is in review. */
export function filmTakeOf({ state, filmTake }: ShotStatus): number | null {
  return state === 'review' ? null : filmTake;
}

/** Number of ended tasks whose charge is unknown. The sum `charged` of `creditsOf` does not include them. */
export function withoutPrice(takes: readonly TakeHistory[]): number {
  return takes.filter(({ settled }) => settled?.credits === null).length;
}

/** The known charge of takes, and how many takes are unclear. */
export function creditsOf(takes: readonly TakeHistory[]): Manifest['credits'] {
  return {
    charged: exactCredits(takes.reduce((sum, { settled }) => sum + (settled?.credits ?? 0), 0)),
    unclearSubmits: takes.filter((take) => stateOf(take) === 'unclear').length,
  };
}

/** The state of a take in the manifest. */
export function stateOf(history: TakeHistory): TakeState {
  const now = ledgerState(history);
  switch (now.is) {
    case 'sendable':
      return 'submitting';
    case 'sending':
      return unclearSubmit(history) === undefined ? 'submitting' : 'unclear';
    case 'accepted':
      return 'rendering';
    case 'unclear':
      return 'unclear';
    case 'refused':
      return 'failed';
    case 'used':
      return isAliasWithoutOutput(history) ? 'failed' : 'completed';
    case 'settled':
      return now.settled.state;
  }
}
