import { dailiesProcess } from '../scripts/command';
import { betaShot, film, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';

let rig: Rig;
let workers: WorkerProcess[];

beforeEach(async () => {
  workers = [];
  rig = await startRig({}, { inProcess: false });
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
  await rig.close();
});

describe('a version that is not current', () => {
  it('gets no work and says so; equal workflows have the same version, and an old one can become current again', async () => {
    const unnamed = await startVersion(undefined);
    // Its output arrives by another channel than its readiness.
    const own = await until(() => /build (\w+) is not the current build/.exec(unnamed.output())?.[1]);
    expect(own).toMatch(/^[0-9a-f]{12}$/);
    await rig.start(film('film', [betaShot('a')]));
    expect(rig.sandbox.tasks()).toHaveLength(0);
    expect((await deploy(undefined)).stdout).toContain(`build ${own} is current; before, none was`);
    expect(await rig.client.ended('film')).toMatchObject({ state: 'completed' });

    await startVersion('two');
    expect((await deploy('two')).stdout).toContain(`it was ${own}`);
    expect((await deploy(undefined)).stdout).toContain(`build ${own} is current; before, it was two`);
  });
});

const DEPLOYMENT = 'studio';

function versionEnv(build: string | undefined): Record<string, string> {
  return { DAILIES_DEPLOYMENT: DEPLOYMENT, ...(build === undefined ? {} : { DAILIES_BUILD_ID: build }) };
}

async function startVersion(build: string | undefined, env: Record<string, string> = {}): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(rig, { ...versionEnv(build), ...env });
  workers.push(worker);
  return worker;
}

function deployed(build: string | undefined, env: Record<string, string> = {}): ReturnType<typeof dailiesProcess> {
  return dailiesProcess(['deploy'], {
    folder: rig.store.folder,
    env: { TEMPORAL_ADDRESS: rig.server.address, ...versionEnv(build), ...env },
  });
}

async function deploy(...version: Parameters<typeof deployed>): ReturnType<typeof dailiesProcess> {
  const done = await deployed(...version);
  expect(done).toMatchObject({ exitCode: 0 });
  return done;
}
