import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { RIG_KEY, type Rig } from './rig';

/** Starts an example as a person does, with the rig's server, gateway and store. */
export function startExample({ server, sandbox, store }: Rig, script: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(__dirname, '..', '..', 'dist', 'examples', script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TEMPORAL_ADDRESS: server.address,
      DAILIES_GATEWAY_URL: sandbox.url,
      DAILIES_GATEWAY_KEY: RIG_KEY,
      DAILIES_GATEWAY_ACCOUNT: 'sandbox',
      DAILIES_STORE: store.folder,
      DAILIES_POLL_FLOOR_MS: '250',
    },
  });
}
