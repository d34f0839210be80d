/** A server that a contender of the benchmark needs, for example PostgreSQL. It runs in processes of its own. */
export interface Service {
  /** The address that the contender's program connects to. */
  readonly address: string;
  /** Version of the server's program, such as `15.18`. */
  readonly version: string;
  /** Ids of the processes that run at this moment. Their CPU time and memory count as the service's. */
  pids(): Promise<readonly number[]>;
  /** Ends the service's own processes, and no others. */
  stop(): Promise<void>;
}

/** The service is not available on this machine. The message contains the remedy. */
export class ServiceMissing extends Error {
  override readonly name = 'ServiceMissing';
}
