export { createArbiterLine } from './arbiter-line';
export { createBudgets, storedFigures } from './budgets';
export { connectTemporal, type TemporalConnection, TemporalUnreachable } from './connect';
export { createDailiesClient, type DailiesClient, type DailiesClientOptions } from './dailies-client';
export { currentBuild, makeCurrent } from './deployments';
export { generationTake } from './generation-take';
export { heldProductions, holdInterrupted, releaseAll } from './interrupted';
export { type LimitChange, LIMITS, limitsView, type QueueView, queueView, type SetLimits } from './limits';
export { filmSoFar, type FilmSoFar, type MissingShot } from './film-so-far';
export { creditsOf, inStore, manifestOf, type Placement, takesOf, withoutPrice } from './manifest';
export { publish, type Published, type PublishRequest } from './out-folder';
export { againCommand, beginPause, endPause, refuseWhilePaused, type Standing } from './paused';
export { NO_WORKER } from './pollers';
export { createProductionRecords, type ProductionRecords } from './production-records';
export { prunedInWords } from './pruned';
export { readFrozen } from './read-frozen';
export { ofOtherAccount, Refused, unknownProduction } from './refused';
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
export { renderCommand, resumeCommand, waitsSince } from './waiting';
export { type GenerateRequest } from './single-task';
export { storedStatus } from './stored-status';
