import { type Priority } from '../../contracts/arbiter';
import { type ProductionBudget } from '../../contracts/budget';
import { type OnFailure, type OnUnclear } from '../../contracts/decision';
import { type Review } from '../../contracts/directing';
import {
  type FrozenCue,
  type FrozenModel,
  type FrozenOutput,
  type FrozenTransition,
  type TextSource,
  type UnsentFields,
} from '../../contracts/frozen';
import { type Notify } from '../../contracts/notify';
import { type ReadyByRule } from '../../contracts/ready-by';
import { type CheckedFile, type LocalFile } from './file-source';

/** A value as JSON holds it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A production with nothing left to find wrong: defaults merged, spellings bridged, local files still on this machine. */
export interface CheckedProduction {
  readonly id: string;
  readonly title: string;
  readonly shots: readonly CheckedShot[];
  /** Null if the file names none. */
  readonly maxInFlight: number | null;
  readonly onUnclear: OnUnclear;
  /** Absent where nothing bounds what it may cost. */
  readonly budget?: ProductionBudget;
  /** Absent: normal. */
  readonly priority?: Priority;
  /** Absent where nobody is to be told. */
  readonly notify?: Notify;
  /** Absent where it is ready when it is. */
  readonly readyBy?: ReadyByRule;
  /** All shots, as they are rendered when time runs short. Absent where the file names no fallback. */
  readonly fallback?: readonly CheckedShot[];
  /** Absent where no shot makes video. */
  readonly assembly?: CheckedAssembly;
  readonly output?: FrozenOutput;
}

export interface CheckedShot extends Readonly<UnsentFields> {
  readonly id: string;
  readonly model: FrozenModel;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly files: Readonly<Record<string, CheckedFile | readonly CheckedFile[]>>;
  /** Text parameters that other shots write; absent where there are none. */
  readonly texts?: Readonly<Record<string, TextSource>>;
  readonly deadlineSeconds: number;
  readonly retryFailed: number;
  readonly takes: number;
  /** Null if the shot waits for nobody. */
  readonly review: Review | null;
  readonly onFailure: OnFailure;
  /** Whether its tasks end well within the limit of execute, where the file says. */
  readonly quick?: boolean;
  /** Whether the frame that it goes on from is to be corrected towards the chain's first clip. */
  readonly anchor: boolean;
}

export interface CheckedMusic {
  readonly file: LocalFile;
  readonly volumeDb: number;
}

export type CheckedCue = CheckedMusic & Readonly<Omit<FrozenCue, 'asset' | 'volumeDb'>>;

export interface CheckedAssembly {
  readonly transition: FrozenTransition;
  readonly music?: CheckedMusic | readonly CheckedCue[];
  readonly title?: { readonly text: string; readonly seconds: number };
  readonly subtitles: boolean;
  readonly subtitlesLanguage?: string;
  readonly captions?: 'burnt';
}
