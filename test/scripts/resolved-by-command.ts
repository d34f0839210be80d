import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../sandbox';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, type Ended, type Place, type CommandProcess, startProcess } from './command';

export const SINCE = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;

/** Where a person resolves by command, with a gateway beside it: whoever imports this has its own around each test. */
export let place: Place;

export let gateway: Sandbox;

let up: CommandProcess | undefined;

beforeEach(async () => {
  const folder = await temporaryFolder();
  gateway = await startSandbox({ folder: join(folder, 'gateway'), ...PLAIN });
  const env = { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: 'any', DAILIES_POLL_FLOOR_MS: '250' };
  place = { folder, env };
});

afterEach(async () => {
  up?.process.kill('SIGTERM');
  await up?.ended;
  up = undefined;
  await gateway.close();
});

export const run = (...args: readonly string[]): Promise<Ended> => dailies(args, place);

/** From here on a verb need not bring the set up. */
export async function holdUp(): Promise<void> {
  const holding = startProcess(['up'], place);
  up = holding;
  await until(() => holding.stdout().includes('Temporal UI'));
}
