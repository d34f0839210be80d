import { type RenderBasis, versionOf } from '../../contracts/render/render-basis';
import { type AssetRef } from '../../contracts/asset';
import { type Begun, type Productions } from '../../store';

/** The last rendered version of a production. */
export interface LastVersion {
  readonly begun: Begun;
  readonly production: AssetRef;
  readonly basis: Pick<Begun, keyof RenderBasis>;
  /** True if the store has no record that the last render has ended. */
  readonly isOpen: boolean;
  /** Identifies the version; see `versionOf`. */
  readonly version: string;
}

/** Reads the last rendered version; undefined if the production was never rendered. */
export async function lastVersion(productions: Productions, productionId: string): Promise<LastVersion | undefined> {
  const [begun, archived] = await Promise.all([productions.begun(productionId), productions.archived(productionId)]);
  if (begun === undefined) return undefined;
  const isOpen = archived?.renderId !== begun.renderId;
  // Prefer the archived status: if a client crashed right after a revision, `begun` lacks the revision.
  const isInArchive = !isOpen && archived.basis !== undefined;
  const [production, basis] = isInArchive ? [archived.frozen, archived.basis] : [begun.production, begun];
  return { begun, production, basis, isOpen, version: versionOf(production, basis) };
}
