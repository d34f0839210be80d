/** The client of the command: everything that programs get (`programs`), and internal functions that may change. */
export { createBudgets } from './budgets';
export { createDailiesClient } from './dailies-client';
export { makeCurrent } from './deployments';
export { generationTake } from './generation-take';
export { releaseAll } from './interrupted';
export { filmSoFar, type FilmSoFar, type MissingShot } from './film-so-far';
export { creditsOf, inStore, manifestOf, takesOf, withoutPrice } from './manifest';
export { publish } from './out-folder';
export { againCommand, quoted } from './again-command';
export { beginPause, endPause, refuseWhilePaused } from './paused';
export { createProductionRecords } from './production-records';
export { readFrozen } from './read-frozen';
export { unknownProduction } from './refused';
export { type RenderRequest } from './renders';
export {
  choiceWays,
  resolveCommand,
  resolveWays,
  reviewCommand,
  reviewInWords,
  reviewWays,
  takesToChoose,
} from '../contracts/commands';
export { waitsForPeople } from '../contracts/status';
export * from './programs';
export { freezeRender } from './freeze-render';
export { type FollowedUntil, watchProduction } from './watch-production';
export { waitForBatchNotices, waitForNotices } from './wait-for-notices';
export { renderCommand, waitsSince } from './waiting';
export { storedStatus } from './stored-status';
