import { type Way } from '../../contracts/commands';
import { type OutputKind } from '../../contracts/gateway/models';
import { type FrameLink } from '../../contracts/render/frozen';
import { type Manifest, type ManifestDrift } from '../../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';

/** The contents of the contact sheet. File names are relative to its folder. */
export interface Sheet {
  readonly title: string;
  readonly state: ProductionStatus['state'];
  readonly reason: string | null;
  readonly film: SheetFilm | null;
  readonly shots: readonly SheetShot[];
  readonly credits: Manifest['credits'];
  /** Ids of the shots that used their fallback to be ready in time. */
  readonly byFallback: readonly string[];
}

export interface SheetFilm {
  readonly file: string;
  readonly sizeBytes: number;
  readonly durationSeconds: number;
  readonly width: number | null;
  readonly height: number | null;
}

export interface SheetShot {
  readonly id: string;
  readonly state: ShotStatus['state'];
  readonly reason: string | null;
  /** Undefined if the production does not have the shot any more. */
  readonly makes: OutputKind | undefined;
  readonly model: string;
  readonly prompt: string | null;
  readonly caption: string | null;
  readonly links: readonly SheetLink[];
  /** Null if the shot does not continue from another one. */
  readonly joint: SheetJoint | null;
  /** The time in the film at which the shot begins; null if the film does not have the shot. */
  readonly startSeconds: number | null;
  /**
   * Null unless the shot waits for a person or has paid takes to choose from. `words` says which; `ways` are the
   * commands that let the shot continue.
   */
  readonly waits: { readonly words: string; readonly ways: readonly Way[] } | null;
  /** The chosen take, approved or not. */
  readonly chosen: number | null;
  /** The chosen take first, if there is one; then the others, newest first. */
  readonly takes: readonly SheetTake[];
}

/** A frame, picture or text of another shot that the shot uses. */
export interface SheetLink {
  readonly frame: FrameLink['frame'];
  readonly shot: string;
  readonly parameter: string;
  /** The file of the linked shot's chosen take, if it is a picture in the store and not in review; otherwise null. */
  readonly picture: string | null;
}

/** The cut to a shot that continues from the last frame of another. */
export interface SheetJoint {
  readonly from: string;
  /** The last frame of `from` and the first frame of this shot. Null if missing or if its take is in review. */
  readonly frames: readonly [string | null, string | null];
  readonly drift: ManifestDrift | null;
}

export interface SheetTake {
  readonly take: number;
  /** The model and prompt with which this take was requested. */
  readonly model: string;
  readonly prompt: string | null;
  readonly taskId: string | null;
  readonly credits: number | null;
  /** Whether a person has pruned its output. */
  readonly pruned: boolean;
  /** Null if the take has no output, or if the output is not in the store. */
  readonly output: {
    readonly file: string;
    readonly mediaType: string;
    readonly durationSeconds: number | null;
    readonly width: number | null;
    readonly height: number | null;
    readonly firstFrame: string | null;
    readonly lastFrame: { readonly file: string; readonly source: 'gateway' | 'clip' } | null;
    readonly warnings: readonly string[];
  } | null;
}
