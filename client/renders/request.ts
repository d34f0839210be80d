import { type AssetRef } from '../../contracts/asset';
import { type ProductionPlan } from '../../contracts/plan';
import { type RenderFlags } from '../../contracts/render-basis';

/** A checked and frozen production, ready to render. */
export interface RenderRequest {
  readonly productionId: string;
  readonly production: AssetRef;
  /** As the file has it. */
  readonly plan: ProductionPlan;
  /** Absolute path of the file, whose production it is from here on; null if a program gives it. Default: as it was last rendered. */
  readonly path?: string | null;
  /** The production as its file has it, where people have directed it otherwise. Default: the same. */
  readonly written?: AssetRef;
  /** For what this request starts; what runs already goes on by its own. Default: none. */
  readonly flags?: RenderFlags;
}

/** Another version of a production that was rendered before. */
export interface Change extends RenderRequest {
  /** The version that it was worked out from (`versionOf`). Default: whichever is the last. */
  readonly replaces?: string;
  /** Notes what was decided, right before it is carried out. */
  readonly note?: Note;
}

/** Puts a decision on record. */
export type Note = () => Promise<void>;
