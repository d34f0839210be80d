import { type RenderFlags } from '../../contracts/render/render-basis';
import { type Store } from '../../store';
import { type CheckedProduction } from '../production-file';
import { freezeProduction } from '../freeze/freeze-production';
import { NO_FLAGS } from '../records/render-flags';
import { type RenderRequest } from './';
import { absolute } from '../wording/working-folder';
import { checkClaim } from '../records/production-claim';

export interface FreezeRenderOptions {
  /** The production's file; null if a program gave the production as an object. */
  readonly file: string | null;
  /** Replaces the production's own id. If the id belongs to another file, this file takes it over. */
  readonly id?: string | undefined;
  readonly flags?: RenderFlags;
}

/**
 * Puts a checked production into the store and returns the request to render it. The id belongs to the file only after
 * the render has begun.
 *
 * @returns the request, and the shots with a direction that does not apply (`DirectedProduction.lapsed`).
 * @throws Refused as `checkClaim` does, and the errors of `freezeProduction`.
 */
export async function freezeRender(
  store: Store,
  production: CheckedProduction,
  { file, id, flags = NO_FLAGS }: FreezeRenderOptions,
): Promise<{ readonly request: RenderRequest; readonly lapsed: readonly string[] }> {
  const productionId = id ?? production.id;
  const path = file === null ? null : absolute(file);
  await checkClaim(store, { productionId, path, takeOver: id !== undefined });
  const { ref, plan, written, lapsed } = await freezeProduction(production, store, { id: productionId });
  return { request: { productionId, production: ref, written, plan, path, flags }, lapsed };
}
