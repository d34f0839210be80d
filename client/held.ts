import { type ProductionStatus } from '../contracts/status';
import { type Hold } from '../store';
import { resumeCommand } from './waiting';

/** A running production's status with the hold that is in force; one that has ended buys nothing anyway. */
export function asHeld(status: ProductionStatus, hold: Hold | undefined): ProductionStatus {
  if (hold === undefined || status.state !== 'running') return status;
  const { by, reason, since } = hold;
  const held = { ...status, reason: heldInWords(status.production, hold) };
  return by === 'person' ? { ...held, paused: { reason, since } } : held;
}

/** What stands beside the state of a production that is held. */
function heldInWords(productionId: string, { by, reason, since }: Hold): string {
  if (by === 'interruption') {
    return `held, since ${reason}: nothing new is bought; \`dailies render FILE\` or \`dailies up\` goes on with it`;
  }
  return `paused since ${since} (${reason}): nothing new is bought; \`${resumeCommand(productionId)}\` goes on with it`;
}
