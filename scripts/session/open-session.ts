import { taskFinder } from './find-task';
import { connectTemporal } from '../../client/temporal/connect';
import { refuseStale } from '../../client/temporal/latest-take';
import { type DailiesClient } from '../../client/dailies/dailies-client';
import { type Dailies, dailiesOver } from '../../client/programs/dailies';
import { type Store } from '../../store';
import { attachSet } from '../../workers/attach-set';
import { type Config } from '../../workers/config/config';
import { type EmbeddedSet } from '../../workers/embedded/embedded-set';
import { EmbeddedSetFailed } from '../../workers/embedded/errors';
import { tell } from '../process/streams';
import { surroundings } from '../process/surroundings';

/**
 * The resources of a running verb: the store and a connection to Temporal. If the verb uses the embedded set (Temporal,
 * sandbox and worker on this machine), also the set.
 */
export interface Session {
  readonly config: Config;
  readonly store: Store;
  /** The programming interface. A verb calls it and adds questions and messages. */
  readonly dailies: Dailies;
  /** The client on which `dailies` is built, for calls that `dailies` does not offer. */
  readonly client: DailiesClient;
  /** Null if a Temporal server is configured and `up` is false: then the workers run elsewhere. */
  readonly set: EmbeddedSet | null;
  /** Rejects with EmbeddedSetFailed if the embedded set gives up; never resolves. */
  readonly lost: Promise<never>;
  /** Closes the connections and leaves the set. If no other command uses the set, waits until the set has stopped. */
  close(): Promise<{ readonly stopped: boolean }>;
}

export interface SessionOptions {
  /** Starts the worker, and the sandbox if no gateway is set, even if a Temporal server is configured. */
  readonly up?: boolean;
  /** Whether a set that the session starts serves Temporal's UI. */
  readonly ui?: boolean;
}

/**
 * Opens a session. Uses or starts the embedded set if no Temporal server is configured, or with `up`.
 *
 * @throws StoreError if `refusesStale` and the store is an older copy; FfmpegMissingError,
 *   WorkerPackageMissing, EmbeddedSetMismatch, EmbeddedSetFailed, TemporalUnreachable
 */
export async function openSession(
  config: Config,
  store: Store,
  { up = false, ui = false, refusesStale }: SessionOptions & { readonly refusesStale: boolean },
): Promise<Session> {
  const { env } = surroundings();
  const set = config.temporalAddress === undefined || up ? await attachSet(config, env, tell, { ui }) : null;
  try {
    // No address is passed for a configured server, so that Temporal's own profile applies: TLS, key, namespace.
    const temporal = await connectTemporal({
      address: config.temporalAddress === undefined ? set?.temporalAddress : undefined,
      env,
    });
    try {
      if (refusesStale) await refuseStale({ temporal: temporal.client, store, account: config.account });
    } catch (error) {
      await temporal.close();
      throw error;
    }
    // The embedded set always has a worker, although the worker may still be starting.
    const served = set === null ? {} : { hasWorker: () => Promise.resolve(true) };
    const dailies = dailiesOver({
      ...{ temporal, store, config, onNotice: tell, ...served },
      findTask: taskFinder(config, set),
    });
    return {
      config,
      store,
      dailies,
      client: dailies.client,
      set,
      lost: lossOf(set),
      async close() {
        await dailies.close();
        return (await set?.leave()) ?? { stopped: false };
      },
    };
  } catch (error) {
    await set?.leave();
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
