import { budgetCommand } from '../../contracts/commands';
import { type ProductionStatus, waitsForPeople } from '../../contracts/status';
import { type Hold } from '../../store';
import { resumeCommand } from '../wording/commands';

/**
 * Adds the reason why a running production does not continue. An ended production already has its reason.
 *
 * @param status from the workflow, or else from the store.
 */
export function withWaitReason(
  status: ProductionStatus,
  hold: Hold | undefined,
  { isInterrupted = false }: { readonly isInterrupted?: boolean } = {},
): ProductionStatus {
  if (status.state !== 'running') return status;
  if (hold?.by === 'person') {
    const { reason, since } = hold;
    return { ...status, reason: pausedInWords(status.production, hold), paused: { reason, since } };
  }
  const withHeld: ProductionStatus = hold !== undefined || isInterrupted ? { ...status, held: true } : status;
  if (waitsForPeople(status)) return { ...withHeld, reason: waitsInWords(status) };
  if (hold !== undefined) return { ...withHeld, reason: heldInWords(hold, '`dailies render FILE`') };
  return isInterrupted ? { ...withHeld, reason: INTERRUPTED } : status;
}

const INTERRUPTED = 'interrupted; the next `render` goes on where it stopped';

/** Names only the shots that wait for the production's budget. The status shows other waits at their shots. */
function waitsInWords({ production, shots }: ProductionStatus): string {
  const waiting = shots.filter(({ parked }) => parked?.for === 'budget').map(({ id }) => id);
  const raise =
    waiting.length === 0 ? '' : `; more budget lets ${waiting.join(', ')} go on: \`${budgetCommand(production)}\``;
  return `the rest waits for you${raise}`;
}

/** @param again the command that continues the production or batch, in backticks. */
export function heldInWords({ reason }: Pick<Hold, 'reason'>, again: string): string {
  return `held because ${reason}: nothing new is bought; ${again} or \`dailies up\` goes on with it`;
}

/** @param id of a production or batch. */
export function pausedInWords(id: string, { reason, since }: Pick<Hold, 'reason' | 'since'>): string {
  return `paused since ${since} (${reason}): nothing new is bought; \`${resumeCommand(id)}\` goes on with it`;
}
