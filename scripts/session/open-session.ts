import { type ConnectedSet, connectSet, type ConnectSetOptions } from './connect-set';
import { taskFinder } from './find-task';
import { refuseStale } from '../../client/temporal/latest-take';
import { type DailiesClient } from '../../client/dailies/dailies-client';
import { type Dailies, dailiesOver } from '../../client/programs/dailies';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { type EmbeddedSet } from '../../workers/embedded/embedded-set';
import { EmbeddedSetFailed } from '../../workers/embedded/errors';
import { tell } from '../process/streams';

/**
 * The resources of a running verb: the store and a connection to Temporal. If the verb uses the embedded set (Temporal,
 * sandbox and worker on this machine), also the set.
 */
export interface Session extends Pick<ConnectedSet, 'set' | 'close'> {
  readonly config: Config;
  readonly store: Store;
  /** The programming interface. A verb calls it and adds questions and messages. */
  readonly dailies: Dailies;
  /** The client on which `dailies` is built, for calls that `dailies` does not offer. */
  readonly client: DailiesClient;
  /** Rejects with EmbeddedSetFailed if the embedded set gives up; never resolves. */
  readonly lost: Promise<never>;
}

/**
 * Opens a session. Uses or starts the embedded set if no Temporal server is configured, or with `up`.
 *
 * @throws StoreError with `refusesStale`, if the ledger lacks the latest take that Temporal knows; EmbeddedSetEnded
 *   with `startsNone`, if no set runs; FfmpegMissingError, WorkerPackageMissing, EmbeddedSetMismatch,
 *   EmbeddedSetFailed, TemporalUnreachable
 */
export async function openSession(
  config: Config,
  store: Store,
  { refusesStale, ...options }: ConnectSetOptions & { readonly refusesStale: boolean },
): Promise<Session> {
  const connected = await connectSet(config, options);
  const { temporal, set } = connected;
  const close = (): ReturnType<Session['close']> => connected.close();
  try {
    if (refusesStale) await refuseStale({ temporal: temporal.client, store, account: config.account });
    // The embedded set always has a worker, although the worker may still be starting.
    const served = set === null ? {} : { hasWorker: () => Promise.resolve(true) };
    const findTask = taskFinder(config, set);
    const dailies = dailiesOver({ temporal, store, config, onNotice: tell, findTask, ...served });
    return { config, store, dailies, client: dailies.client, set, lost: lossOf(set), close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

function lossOf(set: EmbeddedSet | null): Promise<never> {
  const lost = new Promise<never>((_, reject) => {
    set?.onLost((reason) => {
      reject(new EmbeddedSetFailed(reason));
    });
  });
  // If a verb does not await `lost`, a rejection must not be unhandled.
  lost.catch(() => undefined);
  return lost;
}
