import type { LastFramePlace } from './answers';
import type { Faults } from './faults/create-faults';
import type { FileValues } from './file-values';
import type { Listener } from './listener';
import type { TaskDesk } from './task-desk';
import type { Tellings } from './tellings';

export interface AppOptions {
  readonly desk: TaskDesk;
  readonly faults: Faults;
  readonly tellings: Tellings;
  readonly fileValues: FileValues;
  readonly filesFolder: string;
  readonly lastFramePlace: LastFramePlace;
  readonly honourIdempotencyKey: boolean;
  readonly executeLimitMs: number;
  /** The only accepted key; undefined accepts any. */
  readonly apiKey: string | undefined;
  /** True if the sandbox listens on the loopback interface only. Requests must then name this machine in Host. */
  readonly isLocal: boolean;
  /** Returns the listener, which is opened after the app is made and before the first request. */
  readonly listener: () => Pick<Listener, 'isOpen' | 'pause'>;
}
