/** A server that a contender needs, in processes of its own, with its files in a folder of the run. */
export interface Service {
  /** As `Work.service` has it. */
  readonly address: string;
  /** Of the server's program: `15.18`. */
  readonly version: string;
  /** All of its processes that run now; their CPU time and memory are the service's. */
  pids(): Promise<readonly number[]>;
  /** Ends it, by its own pids. */
  stop(): Promise<void>;
}

/** The service cannot be had here; the message says what to do. */
export class ServiceMissing extends Error {
  override readonly name = 'ServiceMissing';
}
