import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DeploymentVersion } from '../../client/temporal/deployments';
import { type Config } from './config';
import { type WorkerOptions } from '../worker-package';

/** The workflows, bundled at build time. */
export const WORKFLOW_BUNDLE = join(__dirname, '..', '..', 'workflow-bundle.js');

/** Long enough to be unique, short enough to read aloud. */
const BUILD_ID_LENGTH = 12;

/** A worker's deployment and version, and the rule for workflows that another version began. */
export interface WorkerDeployment extends DeploymentVersion {
  /** `auto-upgrade`: workflows move to the current version. `pinned`: they stay on the version that began them. */
  readonly versioning: 'auto-upgrade' | 'pinned';
}

/** The configured deployment and this build's version; undefined if workers have no versions. */
export async function configuredDeployment({ deployment }: Config): Promise<WorkerDeployment | undefined> {
  return deployment === null ? undefined : { ...deployment, buildId: deployment.buildId ?? (await ownBuildId()) };
}

/** Temporal's worker options for a version; empty if workers have no versions. */
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

/** A hash of the workflows, so that a build with the same workflows is not a new version. */
async function ownBuildId(): Promise<string> {
  const bundle = await readFile(WORKFLOW_BUNDLE, 'utf8');
  // Leave out the source map, because it contains the path of the build folder.
  const code = bundle.slice(0, bundle.lastIndexOf('//# sourceMappingURL='));
  return createHash('sha256').update(code).digest('hex').slice(0, BUILD_ID_LENGTH);
}
