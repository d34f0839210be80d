import { ANSWERS, type Decision, type ParkedFor } from '../contracts/decision';
import { type ProductionStatus } from '../contracts/status';

/** Whether a running production can only go on when a person decides: all that is left is parked, or waits for what is. */
export function waitsForPeople({ state, shots, assembly, fromStore }: ProductionStatus): boolean {
  return (
    state === 'running' &&
    fromStore !== true &&
    assembly !== 'running' &&
    shots.some((shot) => shot.state === 'parked') &&
    !shots.some((shot) => shot.state === 'rendering')
  );
}

/** What to type so that a parked shot goes on. */
export function resolveCommand(productionId: string, shotId: string, parkedFor: ParkedFor): string {
  return `dailies resolve ${productionId} ${shotId} ${ANSWERS[parkedFor].map((kind) => FLAGS[kind]).join(' | ')}`;
}

const FLAGS: Readonly<Record<Decision['kind'], string>> = {
  adopt: '--adopt TASK_ID',
  resubmit: '--resubmit',
  skip: '--skip',
  use: '--use FILE',
  wait: '--wait',
};
