import { join } from 'node:path';
import { dailies, type Ended } from '../scripts/command';
import { copyOlderStore } from '../support/older-store';
import { type Rig, rigEnv, startRig } from '../support/rig';

let folder: string;
let rig: Rig;

beforeAll(async () => {
  folder = await copyOlderStore();
  rig = await startRig({ folder: join(folder, 'sandbox') }, { storeFolder: join(folder, 'store') });
});

afterAll(() => rig.close());

const run = (...args: readonly string[]): Promise<Ended> => dailies(args, { folder, env: rigEnv(rig) });

/** What an ended command did, and the prompts of the tasks that the gateway accepted meanwhile. */
async function buys(...args: readonly string[]): Promise<Ended & { readonly bought: readonly unknown[] }> {
  const before = rig.sandbox.tasks().length;
  const ended = await run(...args);
  return {
    ...ended,
    bought: rig.sandbox
      .tasks()
      .slice(before)
      .map(({ parameters }) => parameters['prompt']),
  };
}

async function states(production: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await run('status', production, '--json');
  const { shots } = JSON.parse(stdout) as { shots: { id: string; state: string }[] };
  return Object.fromEntries(shots.map(({ id, state }) => [id, state]));
}

describe('a store of an older version', () => {
  it('has a killed production that goes on: the accepted task is collected, the unclear one waits for a decision', async () => {
    const render = ['render', 'storm.yaml', '--id', 'storm', '--quiet', '--json'];
    const resumed = await buys(...render);
    expect({ ...resumed, states: await states('storm') }).toMatchObject({
      exitCode: 3,
      bought: ['In the lee of the island.'],
      states: { calm: 'completed', gust: 'completed', lee: 'completed', wave: 'parked' },
    });

    const unclear = rig.sandbox.tasks().find(({ answerFault }) => answerFault !== null);
    const resolved = await buys('resolve', 'storm', 'wave', '--adopt', unclear?.id ?? '');
    expect(resolved).toMatchObject({ exitCode: 0, bought: [] });
    const completed = await buys(...render);
    expect(completed).toMatchObject({ exitCode: 0, bought: [] });
    expect(JSON.parse(completed.stdout)).toMatchObject({
      state: 'completed',
      credits: { charged: 80, unclearSubmits: 0 },
    });
    expect(await run('audit', 'storm')).toMatchObject({ exitCode: 0 });
  });

  it('has a batch of which only the failed row is rendered again', async () => {
    const retried = await buys('batch', 'retry-failed', 'cups', '--quiet', '--json');
    expect(retried).toMatchObject({ exitCode: 0, bought: ['A red cup'] });
    expect(JSON.parse(retried.stdout)).toMatchObject({ state: 'completed', counts: { completed: 3, failed: 0 } });
  });

  it('has a paused production that is resumed, and approved without being paid for again', async () => {
    const render = ['render', 'mist.yaml', '--id', 'mist', '--quiet'];
    const refused = await buys(...render);
    expect(refused).toMatchObject({ exitCode: 2, bought: [], stderr: expect.stringContaining('dailies resume mist') });
    expect(await run('resume', 'mist')).toMatchObject({ exitCode: 0 });
    expect(await buys(...render, '--yes')).toMatchObject({ exitCode: 0, bought: [] });
  });

  it('has a completed production and its fork, which are rendered without being paid for again', async () => {
    for (const id of ['harbour', 'harbour-2']) {
      expect(await buys('render', 'harbour.yaml', '--id', id, '--quiet')).toMatchObject({ exitCode: 0, bought: [] });
    }
  });
});
