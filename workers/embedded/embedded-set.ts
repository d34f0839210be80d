import type { Announcement } from './part-process';

/**
 * A command's hold on the embedded set: the worker and servers that commands start on this machine and share. The set
 * runs while at least one command holds it.
 */
export interface EmbeddedSet {
  readonly temporalAddress: string;
  /** Null if the Temporal server is not the set's own, or if the set was started without the UI. */
  readonly uiUrl: string | null;
  readonly gatewayUrl: string;
  /** The key of the sandbox; null if another gateway is used. */
  readonly sandboxKey: string | null;
  /** True if this command started the set. */
  readonly started: boolean;
  /** Releases the hold. The last command to leave stops the set, and waits until its processes have ended. */
  leave(): Promise<{ readonly stopped: boolean }>;
  /** Calls `callback` once if the set fails or its supervisor dies. */
  onLost(callback: (reason: string) => void): void;
}

/** A hold on any set of processes. `facts` has the environment variables that the processes announce. */
export interface Hold extends Pick<EmbeddedSet, 'started' | 'leave' | 'onLost'> {
  readonly facts: Announcement;
}
