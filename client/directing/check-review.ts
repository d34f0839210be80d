import { type ProductionStatus } from '../../contracts/status';
import { Refused } from '../refused';

/** @throws Refused where the shot waits for no approval: there is nothing to reject. */
export function checkReview(productionId: string, shotId: string, status: ProductionStatus | undefined): void {
  const state = status?.state === 'running' ? status.shots.find(({ id }) => id === shotId)?.state : undefined;
  if (state === 'review') return;
  const words = state === undefined ? `"${productionId}" is not running` : `it is ${state}`;
  throw new Refused(
    `"${shotId}" is not in review: ${words}; \`dailies retake ${productionId} ${shotId}\` takes it again`,
  );
}
