import { connectTemporal, type TemporalConnection } from '../../client/temporal/connect';
import { attachSet } from '../../workers/attach-set';
import { type Config } from '../../workers/config/config';
import { type EmbeddedSet } from '../../workers/embedded/embedded-set';
import { tell } from '../process/streams';
import { surroundings } from '../process/surroundings';

export interface ConnectSetOptions {
  /** Starts the worker, and the sandbox if no gateway is set, even if a Temporal server is configured. */
  readonly up?: boolean;
  /** Whether a set that this call starts serves Temporal's UI. */
  readonly ui?: boolean;
  /** Throws EmbeddedSetEnded instead of starting the set. If the set is being stopped, waits for its end first. */
  readonly startsNone?: boolean;
}

/** A connection to Temporal, and the embedded set if it is used. */
export interface ConnectedSet {
  readonly temporal: TemporalConnection;
  /** Null if a Temporal server is configured and `up` is false: then the workers run elsewhere. */
  readonly set: EmbeddedSet | null;
  /** Closes the connection and leaves the set. If no other command uses the set, waits until the set has stopped. */
  close(): Promise<{ readonly stopped: boolean }>;
}

/**
 * Connects to Temporal. Uses or starts the embedded set if no Temporal server is configured, or with `up`.
 *
 * @throws EmbeddedSetEnded with `startsNone`, if no set runs; FfmpegMissingError, WorkerPackageMissing,
 *   EmbeddedSetMismatch, EmbeddedSetFailed, TemporalUnreachable
 */
export async function connectSet(
  config: Config,
  { up = false, ui = false, startsNone = false }: ConnectSetOptions = {},
): Promise<ConnectedSet> {
  const { env } = surroundings();
  const set =
    config.temporalAddress === undefined || up ? await attachSet(config, env, tell, { ui, startsNone }) : null;
  try {
    // No address is passed for a configured server, so that Temporal's own profile applies: TLS, key, namespace.
    const address = config.temporalAddress === undefined ? set?.temporalAddress : undefined;
    const temporal = await connectTemporal({ address, env });
    return {
      temporal,
      set,
      async close() {
        let left: { readonly stopped: boolean } | undefined;
        try {
          await temporal.close();
        } finally {
          left = await set?.leave();
        }
        return left ?? { stopped: false };
      },
    };
  } catch (error) {
    await set?.leave();
    throw error;
  }
}
