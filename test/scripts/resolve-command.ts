import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../sandbox';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, type Ended, type Place, type CommandProcess, startProcess } from './command';

export const SINCE = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;

/** A place where a person runs `dailies resolve`, and its gateway. Both are new for each test of the importing file. */
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

/** Keeps an embedded set running, so that the verbs need not start one. */
export async function holdUp(): Promise<void> {
  const holding = startProcess(['up'], place);
  up = holding;
  await until(() => holding.stdout().includes('The embedded set is up'));
}
