import { budgetCommand } from '../../contracts/commands';
import { type ProductionStatus, waitsForPeople } from '../../contracts/status';
import { type Hold, type Store } from '../../store';
import { resumeCommand } from '../wording/commands';
import { againCommand, quoted } from './again-command';

/** A render that no workflow continues. */
export interface Interrupted {
  /** Whether the next render would send something without a person's answer. */
  readonly sendsNext: boolean;
}

/**
 * Adds the reason why a running production does not continue. An ended production already has its reason.
 *
 * @param status from the workflow, or else from the store.
 * @param interrupted absent for a status from the workflow.
 */
export async function withWaitReason(
  store: Store,
  status: ProductionStatus,
  hold: Hold | undefined,
  interrupted?: Interrupted,
): Promise<ProductionStatus> {
  if (status.state !== 'running') return status;
  if (hold?.by === 'person') {
    const { reason, since } = hold;
    return { ...status, reason: pausedInWords(status.production, hold), paused: { reason, since } };
  }
  const withHeld: ProductionStatus =
    hold !== undefined || interrupted !== undefined ? { ...status, held: true } : status;
  if (interrupted?.sendsNext !== true && waitsForPeople(status)) return { ...withHeld, reason: waitsInWords(status) };
  if (hold === undefined && interrupted === undefined) return status;
  const again = quoted(await againCommand(store, { what: 'production', id: status.production }));
  return {
    ...withHeld,
    reason: hold === undefined ? `interrupted; ${again} goes on where it stopped` : heldInWords(hold, again),
  };
}

/** Names only the shots that wait for the production's budget. Each other shot shows its own reason to wait. */
function waitsInWords({ production, shots }: ProductionStatus): string {
  const waiting = shots.filter(({ parked }) => parked?.for === 'budget').map(({ id }) => id);
  const raise =
    waiting.length === 0 ? '' : `; more budget lets ${waiting.join(', ')} go on: \`${budgetCommand(production)}\``;
  return `the rest waits for you${raise}`;
}

/** @param again the command that continues the production or batch, as `quoted` returns it. */
export function heldInWords({ reason }: Pick<Hold, 'reason'>, again: string): string {
  return `held because ${reason}: nothing new is bought; ${again} or \`dailies up\` goes on with it`;
}

/** @param id of a production or batch. */
export function pausedInWords(id: string, { reason, since }: Pick<Hold, 'reason' | 'since'>): string {
  return `paused since ${since} (${reason}): nothing new is bought; \`${resumeCommand(id)}\` goes on with it`;
}
