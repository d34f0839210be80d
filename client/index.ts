export { connectTemporal, type TemporalConnection, TemporalUnreachable } from './connect';
export {
  createDailiesClient,
  type DailiesClient,
  type DailiesClientOptions,
  type GenerateRequest,
  type RenderRequest,
} from './dailies-client';
export { inStore, manifestOf, type Placement } from './manifest';
export { createProductionRecords, type ProductionRecords } from './production-records';
export { Refused } from './refused';
