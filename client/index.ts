export { createBudgets, storedFigures } from './budgets';
export { connectTemporal, type TemporalConnection, TemporalUnreachable } from './connect';
export {
  createDailiesClient,
  type DailiesClient,
  type DailiesClientOptions,
  type GenerateRequest,
  type RenderRequest,
} from './dailies-client';
export { currentBuild, makeCurrent } from './deployments';
export { generationTake } from './generation-take';
export { heldProductions, holdInterrupted, releaseAll } from './interrupted';
export { creditsOf, inStore, manifestOf, type Placement, takesOf, withoutPrice } from './manifest';
export { publish, type Published, type PublishRequest } from './out-folder';
export { createProductionRecords, type ProductionRecords } from './production-records';
export { Refused, unknownProduction } from './refused';
export { renderCommand, resolveCommand, waitsForPeople, waitsSince } from './waiting';
export { storedStatus } from './stored-status';
