import type * as worker from '@temporalio/worker';

/**
 * Loads `@temporalio/worker`. Commands and programs import the package only here: its native part is most of an
 * installation's size, and programs that only start and read productions do not need it. See
 * docs/decisions/0021-package.md.
 */

export type { NativeConnection, Worker, WorkerOptions, WorkflowBundleOption } from '@temporalio/worker';

export type WorkerPackage = typeof worker;

/** A worker needs the optional package, which is not installed. */
export class WorkerPackageMissing extends Error {
  override readonly name = 'WorkerPackageMissing';

  constructor() {
    super(
      'a worker needs the package @temporalio/worker, which is not installed (`npm install --omit=optional` omits it). ' +
        'Run `npm install --include=optional`. If workers run elsewhere, set TEMPORAL_ADDRESS to their Temporal server instead',
    );
  }
}

/**
 * Checks that the package is installed, without loading it.
 *
 * @throws WorkerPackageMissing
 */
export function checkWorkerPackage(): void {
  try {
    require.resolve('@temporalio/worker');
  } catch {
    throw new WorkerPackageMissing();
  }
}

const ABSENT: ReadonlySet<unknown> = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);

/** @throws WorkerPackageMissing if the package is missing; the package's error if it has no build for this platform. */
export async function loadWorkerPackage(): Promise<WorkerPackage> {
  try {
    return await import('@temporalio/worker');
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && ABSENT.has(error.code);
    if (isAbsent && error.message.includes('@temporalio/')) throw new WorkerPackageMissing();
    throw error;
  }
}
