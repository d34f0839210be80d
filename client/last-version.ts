import { type RenderBasis, versionOf } from '../contracts/render-basis';
import { type AssetRef } from '../contracts/asset';
import { type Begun, type ProductionRecords } from './production-records';

/** A production as it was rendered last, as far as the store knows. */
export interface LastVersion {
  readonly begun: Begun;
  readonly production: AssetRef;
  readonly basis: Pick<Begun, keyof RenderBasis>;
  /** Whether its render has not ended. */
  readonly isOpen: boolean;
  /** Names it: `versionOf`. */
  readonly version: string;
}

/** Undefined for a production that was never rendered. */
export async function lastVersion(records: ProductionRecords, productionId: string): Promise<LastVersion | undefined> {
  const [begun, archived] = await Promise.all([records.begun(productionId), records.archived(productionId)]);
  if (begun === undefined) return undefined;
  const isOpen = archived?.renderId !== begun.renderId;
  // A client may have been ended between a revision and its note; a render's last status has what it ended with.
  const hasOwn = !isOpen && archived.basis !== undefined;
  const [production, basis] = hasOwn ? [archived.frozen, archived.basis] : [begun.production, begun];
  return { begun, production, basis, isOpen, version: versionOf(production, basis) };
}
