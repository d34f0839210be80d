/** What the command stands on: all that a program is given (`programs`), and what is the command's own and may change. */
export { createBudgets, storedFigures } from './budgets';
export { createDailiesClient } from './dailies-client';
export { makeCurrent } from './deployments';
export { generationTake } from './generation-take';
export { heldProductions, releaseAll } from './interrupted';
export { type LimitChange, LIMITS, limitsView, type QueueView, queueView, type SetLimits } from './limits';
export { filmSoFar, type FilmSoFar, type MissingShot } from './film-so-far';
export { creditsOf, inStore, manifestOf, takesOf, withoutPrice } from './manifest';
export { publish, type Published } from './out-folder';
export { againCommand } from './again-command';
export { beginPause, endPause, refuseWhilePaused, type Standing } from './paused';
export { NO_WORKER } from './pollers';
export { createProductionRecords } from './production-records';
export { readFrozen } from './read-frozen';
export { ofOtherAccount, unknownProduction } from './refused';
export { type RenderRequest } from './renders';
export {
  choiceWays,
  resolveCommand,
  resolveWays,
  reviewCommand,
  reviewInWords,
  reviewWays,
  takesToChoose,
  type Way,
} from '../contracts/commands';
export { waitsForPeople } from '../contracts/status';
export * from './programs';
export { freezeRender } from './freeze-render';
export { planFile } from './plan-file';
export { statusInFull } from './status-in-full';
export { type FollowedUntil, watchProduction } from './watch-production';
export { waitForBatchNotices, waitForNotices } from './wait-for-notices';
export { renderCommand, waitsSince } from './waiting';
export { storedStatus } from './stored-status';
