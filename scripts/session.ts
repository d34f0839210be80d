import { type DailiesClient } from '../client/dailies-client';
import { heldProductions } from '../client/interrupted';
import { type Dailies } from '../client/programs/dailies';
import { type Store } from '../store';
import { refuseCopy } from '../store/copies';
import { type Config } from '../workers/config';
import { type EmbeddedSet } from '../workers/embedded/attach';
import { readHolder } from '../workers/embedded/lock';
import { setFiles } from '../workers/embedded/set-files';
import { tell } from './streams';

export { NO_WORKER } from '../client/pollers';

/** Said at Ctrl-C, before it is known whether others hold the set. */
export const LEAVING =
  'Leaving. Where nobody else holds the embedded set, it lets a submit in flight finish, then stops.';

/** What a verb works with: the store, Temporal, and a hold on the embedded set where that serves. */
export interface Session {
  readonly config: Config;
  readonly store: Store;
  /** What a program may ask for: a verb asks for the same, and adds its questions and words. */
  readonly dailies: Dailies;
  /** The parts beneath, for what that has no function for. */
  readonly client: DailiesClient;
  /** Null if a Temporal server is configured and its workers run elsewhere. */
  readonly set: EmbeddedSet | null;
  /** Rejects with EmbeddedSetFailed where the embedded set is given up; never resolves. */
  readonly lost: Promise<never>;
  /** Lets go of everything. Where this command was the set's last one, it waits until the set has stopped. */
  close(): Promise<{ readonly stopped: boolean }>;
}

export interface SessionOptions {
  /** Brings up what is missing also where a Temporal server is configured: the worker, and the sandbox. */
  readonly up?: boolean;
  /** Whether a set that the session brings up serves Temporal's UI. */
  readonly ui?: boolean;
}

/**
 * Opens a session that may begin or change something, bringing the embedded set up where it has to serve.
 *
 * Its modules are loaded only here: Temporal's client takes longer to load than a verb that only reads takes to answer.
 *
 * @throws StoreError if the store is an older copy; FfmpegMissingError, EmbeddedSetMismatch, EmbeddedSetFailed,
 *   TemporalUnreachable
 */
export async function openSession(config: Config, store: Store, options: SessionOptions = {}): Promise<Session> {
  await refuseCopy(store.folder);
  return (await import('./open-session.js')).openSession(config, store, { ...options, refusesStale: true });
}

/**
 * Opens a session where Temporal runs already; undefined if the embedded set would have to be brought up.
 *
 * For verbs that only look: what the store knows is enough then, and there at once.
 */
export async function openSessionIfUp(config: Config, store: Store): Promise<Session | undefined> {
  const isUp =
    config.temporalAddress !== undefined || (await readHolder(setFiles(config.storeFolder).lock)) !== undefined;
  return isUp ? (await import('./open-session.js')).openSession(config, store, { refusesStale: false }) : undefined;
}

/**
 * Says which other productions do not go on, where this command has brought the embedded set up: one that comes up
 * buys nothing of what was interrupted.
 */
export async function tellOfHeld({ set, store, config }: Session, own?: string): Promise<void> {
  if (set?.started !== true) return;
  const others = (await heldProductions(store, config.account)).filter((id) => id !== own);
  if (others.length === 0) return;
  tell(
    `Held, since interrupted: ${others.join(', ')}. Nothing new is bought for them; ` +
      '`dailies render FILE` goes on with one, `dailies up` with all.',
  );
}

/** Whether any worker serves; the embedded set has one. */
export async function hasWorker({ client, set }: Pick<Session, 'client' | 'set'>): Promise<boolean> {
  return set !== null || client.hasWorker();
}

/** Says what an unconfigured gateway means, so that nobody takes the sandbox's clips for a model's. */
export function tellOfSandbox({ gateway }: Config): void {
  if (gateway === null) {
    tell('No gateway is configured (DAILIES_GATEWAY_URL): the sandbox serves, and nothing costs real money.');
  }
}
