import { budgetCommand } from '../contracts/commands';
import { type ProductionStatus, waitsForPeople } from '../contracts/status';
import { type Hold } from '../store';
import { resumeCommand } from './waiting';

/**
 * A running production's status with the reason that stands beside its state: the one place that says why it does not
 * go on, for every command and program. One that has ended has its reason already.
 *
 * @param status as its workflow tells it, or as the store has it where no workflow can be asked.
 * @param hold that is in force.
 */
export function toldStatus(
  status: ProductionStatus,
  hold: Hold | undefined,
  { isInterrupted = false }: { readonly isInterrupted?: boolean } = {},
): ProductionStatus {
  if (status.state !== 'running') return status;
  if (hold?.by === 'person') {
    const { reason, since } = hold;
    return { ...status, reason: pausedInWords(status.production, hold), paused: { reason, since } };
  }
  if (waitsForPeople(status)) return { ...status, reason: waitsInWords(status) };
  if (hold !== undefined) return { ...status, reason: heldInWords(hold) };
  return isInterrupted ? { ...status, reason: INTERRUPTED } : status;
}

const INTERRUPTED = 'interrupted; the next `render` goes on where it stopped';

/** What shots wait for is shown with them; a budget is the production's own. */
function waitsInWords({ production, shots }: ProductionStatus): string {
  const waiting = shots.filter(({ parked }) => parked?.for === 'budget').map(({ id }) => id);
  const raise =
    waiting.length === 0 ? '' : `; more budget lets ${waiting.join(', ')} go on: \`${budgetCommand(production)}\``;
  return `what is left waits for you${raise}`;
}

function heldInWords({ reason }: Hold): string {
  return `held, since ${reason}: nothing new is bought; \`dailies render FILE\` or \`dailies up\` goes on with it`;
}

function pausedInWords(productionId: string, { reason, since }: Hold): string {
  return `paused since ${since} (${reason}): nothing new is bought; \`${resumeCommand(productionId)}\` goes on with it`;
}
