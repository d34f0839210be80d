import { heldIds } from '../../client/records/interrupted';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { EmbeddedSetEnded } from '../../workers/embedded/errors';
import { readHolder } from '../../workers/embedded/lock';
import { setFiles } from '../../workers/embedded/set-files';
import { type ConnectSetOptions } from './connect-set';
import { type Session } from './open-session';
import { tell } from '../process/streams';

export { NO_WORKER } from '../../client/temporal/pollers';

/** Printed when a command exits before its work has ended, and before it knows whether other commands use the set. */
export const LEAVING =
  'Leaving. If no other command uses the embedded set, the set finishes a submit in flight, then stops.';

/**
 * Opens a session that may start or change work. Uses or starts the embedded set if no Temporal server is configured,
 * or if `up` is set.
 *
 * The modules of a session are loaded at the call, because Temporal's client takes longer to load than a read-only verb
 * takes to answer.
 *
 * @throws StoreError if the store is a copy, or lacks the latest take that Temporal knows; FfmpegMissingError,
 *   WorkerPackageMissing, EmbeddedSetMismatch, EmbeddedSetFailed, TemporalUnreachable
 */
export async function openSession(config: Config, store: Store, options: ConnectSetOptions = {}): Promise<Session> {
  await store.refuseCopy();
  return (await import('./open-session.js')).openSession(config, store, { ...options, refusesStale: true });
}

/**
 * Opens a session if a Temporal server is configured or the embedded set runs; otherwise returns undefined.
 *
 * For verbs that need no worker: without a session, they use only the store.
 *
 * @throws TemporalUnreachable if the server does not answer; EmbeddedSetMismatch, EmbeddedSetFailed
 */
export async function openSessionIfUp(config: Config, store: Store): Promise<Session | undefined> {
  if (!(await isUp(config))) return undefined;
  const { openSession: open } = await import('./open-session.js');
  return unlessEnded(open(config, store, { refusesStale: false, startsNone: true }));
}

/** Undefined if the embedded set stopped after the call of `isUp`, for example on Ctrl-C of the last command. */
export async function unlessEnded<T>(connecting: Promise<T>): Promise<T | undefined> {
  try {
    return await connecting;
  } catch (error) {
    if (error instanceof EmbeddedSetEnded) return undefined;
    throw error;
  }
}

export async function isUp({ temporalAddress, storeFolder }: Config): Promise<boolean> {
  return temporalAddress !== undefined || (await readHolder(setFiles(storeFolder).lock)) !== undefined;
}

/**
 * If this command has started the embedded set, prints the held productions and batches, except `own`. A starting set
 * holds interrupted productions and batches: it buys nothing new for them.
 */
export async function tellOfHeld({ set, store, config }: Session, own?: string): Promise<void> {
  if (set?.started !== true) return;
  const others = (await heldIds(store, config.account)).filter((id) => id !== own);
  if (others.length === 0) return;
  tell(
    `Held because they were interrupted: ${others.join(', ')}. Nothing new is bought for them; ` +
      '`dailies render FILE` or `dailies batch FILE` continues one of them, `dailies up` all of them.',
  );
}

/** Whether a worker serves the account and store. The embedded set always has a worker. */
export async function hasWorker({ client, set }: Pick<Session, 'client' | 'set'>): Promise<boolean> {
  return set !== null || client.hasWorker();
}

/** The message of a command that does not wait for the work it cancels: when the work ends, and the next command. */
export function whenCancelled(
  { set }: Pick<Session, 'set'>,
  { isServed, cancel, look }: { readonly isServed: boolean; readonly cancel: string; readonly look: string },
): string {
  if (!isServed) return `It ends when a worker runs; look again with \`${look}\`.`;
  return set?.started === true
    ? `What is under way is collected when the set is up again, for example by \`dailies up\` or \`${cancel}\`.`
    : `It ends by itself; look again with \`${look}\`.`;
}

/** If the sandbox is used, says so: nobody should mistake its clips for a model's output. */
export function tellOfSandbox({ gateway }: Config): void {
  if (gateway === null) {
    tell('No gateway is configured (DAILIES_GATEWAY_URL): the sandbox is used, and nothing costs real money.');
  }
}
