/** Exports for the other folders and tests: all of `./programs`, and internal functions and types that may change. */
export { createBudgets } from './status/budgets';
export { createDailiesClient } from './dailies/dailies-client';
export { makeCurrent } from './temporal/deployments';
export { generationTake } from './records/generation-take';
export { releaseAll } from './records/interrupted';
export { filmSoFar, type FilmSoFar, type MissingShot } from './output/film-so-far';
export { inStore, manifestOf } from './status/manifest';
export { creditsOf, takesOf, withoutPrice } from './records/takes';
export { publish } from './output/out-folder';
export { againCommand, quoted } from './status/again-command';
export { beginPause, endPause, refuseWhilePaused } from './status/paused';
export { readFrozen } from './records/read-frozen';
export { unknownProduction } from './wording/refused';
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
export { freezeRender } from './renders/freeze-render';
export { type FollowedUntil, watchProduction } from './dailies/watch-production';
export { waitForBatchNotices, waitForNotices } from './dailies/wait-for-notices';
export { renderCommand, waitsSince } from './wording/commands';
export { storedStatus } from './status/stored-status';
