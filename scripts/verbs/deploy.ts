import { connectTemporal, makeCurrent, Refused } from '../../client';
import { configuredDeployment } from '../../workers/config/deployment';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { print } from '../process/streams';
import { surroundings } from '../process/surroundings';

/**
 * Makes this build the current version of its worker deployment. Workers of this build then get new workflows,
 * and running workflows that are not pinned.
 *
 * @throws Refused if no deployment or no Temporal server is configured.
 */
export async function deploy(): Promise<ExitCode> {
  const config = readConfig();
  const version = await configuredDeployment(config);
  if (version === undefined || config.temporalAddress === undefined) {
    throw new Refused(
      'there is nothing to deploy to: set TEMPORAL_ADDRESS and DAILIES_DEPLOYMENT as for the workers; ' +
        'workers without a deployment need no deploy, since they take all work',
    );
  }
  const temporal = await connectTemporal({ env: surroundings().env });
  try {
    const before = await makeCurrent(temporal.connection, temporal.namespace, version);
    print(`Deployment "${version.name}": build ${version.buildId} is current; before, ${inWords(before)}.`);
    return EXIT.completed;
  } finally {
    await temporal.close();
  }
}

function inWords(build: string | undefined): string {
  return build === undefined ? 'none was' : `it was ${build}`;
}
