import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DATA_CONVERTER } from './large-payloads';
import { openCalls } from './open-calls';

/** A connection to Temporal; the caller closes it. */
export interface TemporalConnection {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
  /** Rejects open calls as cancelled. */
  close(): Promise<void>;
}

/** Temporal cannot be reached; the message names the address. */
export class TemporalUnreachable extends Error {
  override readonly name = 'TemporalUnreachable';
}

export interface ConnectTemporalOptions {
  /** Address of a server that needs no other settings. Default: Temporal's own environment variables and profiles. */
  readonly address?: string | undefined;
  /** Time limit for connecting. Default: 10 s. */
  readonly withinMs?: number;
  /** The environment with Temporal's own variables. Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Connects to the given address, or else as Temporal's own variables and profiles say.
 *
 * @throws TemporalUnreachable; the errors of `loadClientConnectConfig`, for example for an invalid profile.
 */
export async function connectTemporal({
  address,
  env,
  withinMs,
}: ConnectTemporalOptions = {}): Promise<TemporalConnection> {
  const profile =
    address === undefined
      ? loadClientConnectConfig(env === undefined ? {} : { overrideEnvVars: definedVariables(env) })
      : { connectionOptions: { address }, namespace: undefined };
  const namespace = profile.namespace ?? 'default';
  const calls = openCalls();
  try {
    const connection = await Connection.connect({
      ...profile.connectionOptions,
      ...(withinMs === undefined ? {} : { connectTimeout: withinMs }),
      interceptors: calls.interceptors,
    });
    const client = new Client({ connection, namespace, dataConverter: DATA_CONVERTER });
    return {
      client,
      connection,
      namespace,
      async close() {
        calls.end();
        await connection.close();
      },
    };
  } catch (error) {
    const at = profile.connectionOptions.address ?? 'localhost:7233';
    throw new TemporalUnreachable(
      `Temporal cannot be reached at ${at}: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

function definedVariables(env: NonNullable<ConnectTemporalOptions['env']>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
