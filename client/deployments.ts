import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionLike, isGrpcServiceError } from '@temporalio/client';
import { Refused } from './refused';

/** One version of a worker deployment: workers with the same workflows. */
export interface DeploymentVersion {
  /** Of the deployment; the namespace has no other by this name. */
  readonly name: string;
  readonly buildId: string;
}

/** Temporal hears of a version when its workers first poll, and of each of their queues by itself. */
const KNOWN_WITHIN_MS = 20_000;
const TRY_AGAIN_MS = 500;

/** gRPC's codes for a version that is not known, and for one whose workers do not poll every queue of the one before. */
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;

/** The build whose workers get new work; undefined if no version of the deployment does. */
export async function currentBuild(
  connection: ConnectionLike,
  namespace: string,
  name: string,
): Promise<string | undefined> {
  try {
    const { workerDeploymentInfo } = await connection.workflowService.describeWorkerDeployment({
      namespace,
      deploymentName: name,
    });
    return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? undefined;
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code as number) === NOT_FOUND) return undefined;
    throw error;
  }
}

/**
 * Gives new work to the workers of a version, and with it all that runs on auto-upgrade; what is pinned stays.
 *
 * @returns the build that was current before.
 * @throws Refused where no worker of the version polls, or not on every queue.
 */
export async function makeCurrent(
  connection: ConnectionLike,
  namespace: string,
  { name, buildId }: DeploymentVersion,
): Promise<string | undefined> {
  const giveUpAt = Date.now() + KNOWN_WITHIN_MS;
  for (;;) {
    try {
      const before = await currentBuild(connection, namespace, name);
      await connection.workflowService.setWorkerDeploymentCurrentVersion({
        namespace,
        deploymentName: name,
        buildId,
      });
      return before;
    } catch (error) {
      if (!isGrpcServiceError(error) || ![NOT_FOUND, FAILED_PRECONDITION].includes(error.code)) throw error;
      if (Date.now() > giveUpAt) {
        throw new Refused(
          `build ${buildId} of deployment "${name}" cannot be made current: ${error.details}; ` +
            'start its workers first, and leave them running',
        );
      }
    }
    await sleep(TRY_AGAIN_MS);
  }
}
