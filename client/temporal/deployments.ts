import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionLike, isGrpcServiceError } from '@temporalio/client';
import { Refused } from '../wording/refused';

/** A version of a worker deployment: the workers with the same build. */
export interface DeploymentVersion {
  /** Name of the deployment, unique in the namespace. */
  readonly name: string;
  readonly buildId: string;
}

/** Time limit for a version's workers to poll every queue. Temporal knows the version only after the first polls. */
const KNOWN_WITHIN_MS = 20_000;
const TRY_AGAIN_MS = 500;

/** gRPC code for an unknown deployment or version. */
const NOT_FOUND = 5;
/** gRPC code for a version whose workers do not poll each queue of the current version. */
const FAILED_PRECONDITION = 9;

/** The build that gets new work; undefined if the deployment is unknown or has no current version. */
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
 * Makes a version current, so that it gets new workflows and running auto-upgrade workflows. Pinned workflows stay on
 * their version.
 *
 * @returns the build that was current before; undefined if there was none.
 * @throws Refused if the version's workers do not poll every queue within the time limit.
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
            'start its workers first and keep them running',
        );
      }
    }
    await sleep(TRY_AGAIN_MS);
  }
}
