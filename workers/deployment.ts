import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DeploymentVersion } from '../client/deployments';
import { type Config } from './config';
import { type WorkerOptions } from './worker-package';

/** The workflows as they were bundled when this was built. */
export const WORKFLOW_BUNDLE = join(__dirname, '..', 'workflow-bundle.js');

/** Long enough that no two builds share one, short enough to read out. */
const BUILD_ID_LENGTH = 12;

/** Which version of which deployment a worker is, and what becomes of work that a version has begun. */
export interface WorkerDeployment extends DeploymentVersion {
  /** `auto-upgrade` goes on with the current version; `pinned` ends with the workers that it began with. */
  readonly versioning: 'auto-upgrade' | 'pinned';
}

/** The deployment that is configured, of this build; undefined where workers have no versions. */
export async function configuredDeployment({ deployment }: Config): Promise<WorkerDeployment | undefined> {
  return deployment === null ? undefined : { ...deployment, buildId: deployment.buildId ?? (await ownBuildId()) };
}

/** What Temporal's worker is told; nothing where workers have no versions. */
export function versioningOptions(
  version: WorkerDeployment | undefined,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === undefined) return {};
  return {
    workerDeploymentOptions: {
      version: { deploymentName: version.name, buildId: version.buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: version.versioning === 'pinned' ? 'PINNED' : 'AUTO_UPGRADE',
    },
  };
}

/** A hash of the workflows, so that a build which leaves them as they are is no new version. */
async function ownBuildId(): Promise<string> {
  const bundle = await readFile(WORKFLOW_BUNDLE, 'utf8');
  // The source map names the folder of the build.
  const code = bundle.slice(0, bundle.lastIndexOf('//# sourceMappingURL='));
  return createHash('sha256').update(code).digest('hex').slice(0, BUILD_ID_LENGTH);
}
