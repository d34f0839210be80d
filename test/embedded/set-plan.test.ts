import { join } from 'node:path';
import { planSet } from '../../workers/embedded/set-plan';
import { readConfig } from '../../workers/config/config';
import { temporaryFolder } from '../support/temporary-folder';

describe('the worker of the embedded set', () => {
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    DAILIES_DEPLOYMENT: 'studio',
    DAILIES_VERSIONING: 'pinned',
  };

  it('has no version at its own server, since no deploy would make it current', async () => {
    expect(deploymentOf(await plan({}))).toBeNull();
  });

  it('has its version at a shared server', async () => {
    const shared = { temporalAddress: 'temporal.example.com:7233' };
    expect(deploymentOf(await plan(shared))).toEqual({ name: 'studio', versioning: 'pinned' });
  });

  async function plan(options: { readonly temporalAddress?: string }): Promise<ReturnType<typeof planSet>> {
    return planSet({ storeFolder: join(await temporaryFolder(), 'store'), env, gatewayAccount: 'sandbox', ...options });
  }

  function deploymentOf({ parts }: ReturnType<typeof planSet>): ReturnType<typeof readConfig>['deployment'] {
    return readConfig(parts.find(({ name }) => name === 'worker')!.env).deployment;
  }
});
