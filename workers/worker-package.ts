import type * as worker from '@temporalio/worker';

/**
 * The one place that loads `@temporalio/worker`: its native part is most of what an installation weighs, and programs
 * that begin and look at productions do without it. See docs/decisions/0021-package.md.
 */

export type { NativeConnection, WorkerOptions, WorkflowBundleOption } from '@temporalio/worker';

export type WorkerPackage = typeof worker;

/** Only the optional package can start a worker, and it is not installed. */
export class WorkerPackageMissing extends Error {
  override readonly name = 'WorkerPackageMissing';

  constructor() {
    super(
      'a worker needs the package @temporalio/worker, and it is not installed, as after `npm install --omit=optional`. ' +
        'Run `npm install --include=optional`, or, if workers run elsewhere, set TEMPORAL_ADDRESS to the server that they use',
    );
  }
}

/** Says beforehand what a set that needs a worker would fail with; loads nothing. @throws WorkerPackageMissing */
export function checkWorkerPackage(): void {
  try {
    require.resolve('@temporalio/worker');
  } catch {
    throw new WorkerPackageMissing();
  }
}

const ABSENT: ReadonlySet<unknown> = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);

/** @throws WorkerPackageMissing if it, or the part that is built for this platform, is not installed. */
export async function loadWorkerPackage(): Promise<WorkerPackage> {
  try {
    return await import('@temporalio/worker');
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && ABSENT.has(error.code);
    if (isAbsent && error.message.includes('@temporalio/')) throw new WorkerPackageMissing();
    throw error;
  }
}
