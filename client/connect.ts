import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { openCalls } from './open-calls';

/** A connection to Temporal; the caller closes it. */
export interface TemporalConnection {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
  /** Calls that are still open are refused as cancelled. */
  close(): Promise<void>;
}

/** Temporal cannot be reached; the message names the address. */
export class TemporalUnreachable extends Error {
  override readonly name = 'TemporalUnreachable';
}

/**
 * Connects by Temporal's own variables and profiles, or to the address given.
 *
 * @throws TemporalUnreachable
 */
export async function connectTemporal(address?: string): Promise<TemporalConnection> {
  const profile =
    address === undefined ? loadClientConnectConfig() : { connectionOptions: { address }, namespace: undefined };
  const namespace = profile.namespace ?? 'default';
  const calls = openCalls();
  try {
    const connection = await Connection.connect({ ...profile.connectionOptions, interceptors: calls.interceptors });
    const client = new Client({ connection, namespace });
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
