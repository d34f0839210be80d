import { completedTakes, takesInWords } from '../../contracts/commands';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { Refused } from '../wording/refused';

/** @throws Refused unless the production is running and `status` shows the shot in review. */
export function checkReview(productionId: string, shotId: string, status: ProductionStatus | undefined): void {
  const { shot, words } = reviewOf(productionId, shotId, status);
  if (shot?.state === 'review') return;
  if (mayBeInReview(shot, status)) {
    throw new Refused(
      `"${shotId}" has completed, and whether it is in review is not known without Temporal; ` +
        `\`dailies retake ${productionId} ${shotId}\` takes it again`,
    );
  }
  throw new Refused(`${words}; \`dailies retake ${productionId} ${shotId}\` takes it again`);
}

/**
 * Checks an approval as a worker would, without waiting for a worker.
 *
 * @param take undefined for the chosen take.
 * @throws Refused if the shot is not in review, or has no completed take with that number.
 */
export function checkApproval(
  productionId: string,
  { shotId, take }: { readonly shotId: string; readonly take: number | undefined },
  status: ProductionStatus | undefined,
): void {
  const { shot, words } = reviewOf(productionId, shotId, status);
  // Leave the check to the worker.
  if (mayBeInReview(shot, status)) return;
  if (shot?.state !== 'review') {
    throw new Refused(
      `${words}; there is nothing to approve. \`dailies status ${productionId}\` shows the state of each shot`,
    );
  }
  const takes = completedTakes(shot);
  if (take !== undefined && !takes.includes(take)) {
    throw new Refused(`"${shotId}" has no take ${take} that could be approved; it has ${takesInWords(takes)}`);
  }
}

/** In a status from the store, a shot in review may appear as completed. */
function mayBeInReview(shot: ShotStatus | undefined, status: ProductionStatus | undefined): boolean {
  return shot?.state === 'completed' && status?.fromStore === true;
}

function reviewOf(
  productionId: string,
  shotId: string,
  status: ProductionStatus | undefined,
): { readonly shot: ShotStatus | undefined; readonly words: string } {
  const isRunning = status?.state === 'running';
  const shot = isRunning ? status.shots.find(({ id }) => id === shotId) : undefined;
  const missing = isRunning ? `the running render of "${productionId}" lacks it` : `"${productionId}" is not running`;
  return { shot, words: `"${shotId}" is not in review: ${shot === undefined ? missing : `it is ${shot.state}`}` };
}
