import type { LastFramePlace } from './answers';
import type { Faults } from '../faults/create-faults';
import type { FileValues } from '../tasks/file-values';
import type { Listener } from '../listener';
import type { TaskRunner } from '../tasks/task-runner';
import type { ReadLog } from '../tasks/read-log';

export interface AppOptions {
  readonly runner: TaskRunner;
  readonly faults: Faults;
  readonly readLog: ReadLog;
  readonly fileValues: FileValues;
  readonly filesFolder: string;
  readonly lastFramePlace: LastFramePlace;
  readonly honourIdempotencyKey: boolean;
  readonly executeLimitMs: number;
  /** The only accepted key; undefined accepts any. */
  readonly apiKey: string | undefined;
  /** True if the sandbox listens on the loopback interface only. The Host header must then name this machine. */
  readonly isLocal: boolean;
  /** Returns the listener, which is opened after the app is made and before the first request. */
  readonly listener: () => Pick<Listener, 'isOpen' | 'pause'>;
}
