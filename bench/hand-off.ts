import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../sandbox';
import { dailies } from './command';

const SHOTS = 8;
const POLL_FLOOR_MS = 500;

/** Longer than a clip of 5 s takes to render here, so that the gateway's time is the same for each. */
const GATEWAY_SECONDS = 5;

const KEY = 'bench';

/**
 * Milliseconds from the moment when the gateway has finished a clip to the arrival of the submit that starts on its
 * last frame, by the gateway's own clock: a chain of 5-second 720p clips, rendered by the command as it ships.
 */
export async function measureHandOff(): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-bench-'));
  const sandbox = await startSandbox({ folder: join(folder, 'gateway'), apiKey: KEY, renderSeconds: GATEWAY_SECONDS });
  try {
    const file = join(folder, 'chain.json');
    await writeFile(file, JSON.stringify(chain()));
    await dailies(['render', file, '--json', '--out', join(folder, 'out')], {
      DAILIES_STORE: join(folder, 'store'),
      DAILIES_GATEWAY_URL: sandbox.url,
      DAILIES_GATEWAY_KEY: KEY,
      DAILIES_POLL_FLOOR_MS: String(POLL_FLOOR_MS),
    });
    const tasks = sandbox.tasks();
    return tasks
      .slice(1)
      .map(({ acceptedAt }, index) => Date.parse(acceptedAt) - Date.parse(tasks[index]?.finishedAt ?? ''));
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function chain(): unknown {
  return {
    title: 'Chain',
    defaults: { model: 'beta-2.5', resolution: '720p', duration: 5 },
    shots: Array.from({ length: SHOTS }, (_, index) => ({
      id: `shot-${index + 1}`,
      prompt: `the sea, hour ${index + 1}`,
      ...(index === 0 ? {} : { startFrame: { lastFrameOf: `shot-${index}` } }),
    })),
  };
}
