import { type Priority } from '../../contracts/gateway/arbiter';
import { type ProductionBudget } from '../../contracts/money/budget';
import { type OnFailure, type OnUnclear } from '../../contracts/render/decision';
import { type Review } from '../../contracts/render/directing';
import {
  type FrozenCue,
  type FrozenModel,
  type FrozenOutput,
  type FrozenTransition,
  type TextSource,
  type UnsentFields,
} from '../../contracts/render/frozen';
import { type Notify } from '../../contracts/file/notify';
import { type ReadyByRule } from '../../contracts/file/ready-by';
import { type CheckedFile, type LocalFile } from './file-source';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A production without errors. Defaults are merged and equivalent notations unified. No local file is stored yet. */
export interface CheckedProduction {
  readonly id: string;
  readonly title: string;
  readonly shots: readonly CheckedShot[];
  /** Null if the file sets no maximum. */
  readonly maxInFlight: number | null;
  readonly onUnclear: OnUnclear;
  /** Absent if there is no limit. */
  readonly budget?: ProductionBudget;
  /** Default: normal. */
  readonly priority?: Priority;
  /** Absent if nobody is notified. */
  readonly notify?: Notify;
  /** Absent if there is no deadline for the production. */
  readonly readyBy?: ReadyByRule;
  /** All shots, with the fallback applied to those that make video. Absent if the file has no fallback. */
  readonly fallback?: readonly CheckedShot[];
  /** Absent if no film is assembled. */
  readonly assembly?: CheckedAssembly;
  readonly output?: FrozenOutput;
}

export interface CheckedShot extends Readonly<UnsentFields> {
  readonly id: string;
  readonly model: FrozenModel;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly files: Readonly<Record<string, CheckedFile | readonly CheckedFile[]>>;
  /** Text parameters that other shots write. Absent if there are none. */
  readonly texts?: Readonly<Record<string, TextSource>>;
  readonly deadlineSeconds: number;
  readonly retryFailed: number;
  readonly takes: number;
  /** Null if the shot is not reviewed. */
  readonly review: Review | null;
  readonly onFailure: OnFailure;
  /** Whether the shot's tasks end well within 20 s, the limit of an `execute` call. Absent if the file does not say. */
  readonly quick?: boolean;
  /** Whether a linked start frame gets the colours of the first clip in the chain of linked shots. */
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
