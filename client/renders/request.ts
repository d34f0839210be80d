import { type AssetRef } from '../../contracts/asset';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type RenderFlags } from '../../contracts/render/render-basis';

/** A checked and frozen production, ready to render. */
export interface RenderRequest {
  readonly productionId: string;
  readonly production: AssetRef;
  /** The plan according to the file, before flags and a changed budget are applied. */
  readonly plan: ProductionPlan;
  /**
   * Absolute path of the file that the production belongs to from now on; null if a program gave the production.
   * Default: as in the last render.
   */
  readonly path?: string | null;
  /** The production without directions (changes of its shots by people or a deadline). Default: `production`. */
  readonly written?: AssetRef;
  /** The flags, if this request starts a render. A running render keeps its own flags. Default: none. */
  readonly flags?: RenderFlags;
}

/** A new version of a production that was rendered before. */
export interface Change extends RenderRequest {
  /** The version that the change is based on (`versionOf`); if it is outdated, the change is refused. Default: any. */
  readonly replaces?: string;
  /** Records the decision that led to the change, right before the change is carried out. */
  readonly note?: Note;
}

export type Note = () => Promise<void>;
