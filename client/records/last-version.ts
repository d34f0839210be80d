import { type RenderBasis, versionOf } from '../../contracts/render-basis';
import { type AssetRef } from '../../contracts/asset';
import { type Begun, type ProductionRecords } from './production-records';

/** The last rendered version of a production, by the store. */
export interface LastVersion {
  readonly begun: Begun;
  readonly production: AssetRef;
  readonly basis: Pick<Begun, keyof RenderBasis>;
  /** Whether its render has not ended. */
  readonly isOpen: boolean;
  /** Identifies the version; see `versionOf`. */
  readonly version: string;
}

/** Undefined for a production that was never rendered. */
export async function lastVersion(records: ProductionRecords, productionId: string): Promise<LastVersion | undefined> {
  const [begun, archived] = await Promise.all([records.begun(productionId), records.archived(productionId)]);
  if (begun === undefined) return undefined;
  const isOpen = archived?.renderId !== begun.renderId;
  // A client may have stopped between a revision and its record, so an ended render's last status is more exact.
  const hasOwn = !isOpen && archived.basis !== undefined;
  const [production, basis] = hasOwn ? [archived.frozen, archived.basis] : [begun.production, begun];
  return { begun, production, basis, isOpen, version: versionOf(production, basis) };
}
