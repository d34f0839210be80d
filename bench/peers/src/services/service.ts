/** A server that a contender needs, in separate processes, with its files in a folder of the run. */
export interface Service {
  /** The value of `Work.service`. */
  readonly address: string;
  /** Version of the server's program, such as `15.18`. */
  readonly version: string;
  /** Process ids that run now. Their CPU time and memory count as the service's. */
  pids(): Promise<readonly number[]>;
  /** Ends the service by its own process ids. */
  stop(): Promise<void>;
}

/** The service is not available here. The message says what to do. */
export class ServiceMissing extends Error {
  override readonly name = 'ServiceMissing';
}
