import { type Way } from '../../contracts/commands';
import { type FrameLink } from '../../contracts/frozen';
import { type Manifest, type ManifestDrift } from '../../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';

/** What the contact sheet shows. Names of files are relative to its folder. */
export interface Sheet {
  readonly title: string;
  readonly state: ProductionStatus['state'];
  readonly reason: string | null;
  readonly film: SheetFilm | null;
  readonly shots: readonly SheetShot[];
  readonly credits: Manifest['credits'];
  /** The shots that have taken their file's fallback, to be ready in time. */
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
  readonly model: string;
  readonly prompt: string | null;
  readonly caption: string | null;
  readonly links: readonly SheetLink[];
  /** Null if it goes on from no other shot. */
  readonly joint: SheetJoint | null;
  /** Where the shot begins in the film; null if it is not in it. */
  readonly startSeconds: number | null;
  /** While it waits for a person, or was left without a take: how it stands, and the ways to let it go on. */
  readonly waits: { readonly words: string; readonly ways: readonly Way[] } | null;
  /** The take that stands for the shot, approved or not. */
  readonly chosen: number | null;
  /** The one in the film first, where there is one; then the others, the newest first. */
  readonly takes: readonly SheetTake[];
}

/** What a shot uses of another one. */
export interface SheetLink {
  readonly frame: FrameLink['frame'];
  readonly shot: string;
  readonly parameter: string;
  /** A picture that is used as it is, of the take that stands; null if it is none. */
  readonly picture: string | null;
}

/** Where a shot goes on from the last frame of another. */
export interface SheetJoint {
  readonly from: string;
  /** The last frame of the one and the first of the next, of the takes that stand for them. */
  readonly frames: readonly [string | null, string | null];
  readonly drift: ManifestDrift | null;
}

export interface SheetTake {
  readonly take: number;
  /** What it was asked for, which need not be what the shot asks for now. */
  readonly model: string;
  readonly prompt: string | null;
  readonly taskId: string | null;
  readonly credits: number | null;
  /** Whether a person had freed what it left. */
  readonly pruned: boolean;
  /** Null if the take left nothing, or that is not in the store. */
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
