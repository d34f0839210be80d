import { productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { dailiesProcess as dailies } from '../scripts/command';
import { betaShot, film, linkedShot, type Rig, startRig } from '../support/rig';
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

describe('a shot that is parked over a deploy', () => {
  it('continues with the new workers by default, and its production too', async () => {
    const old = await startVersion('one');
    await deploy('one');
    await startParked('film');
    await startVersion('two');
    await old.kill('SIGTERM');
    await deploy('two');

    await rig.client.resolve('film', 'a', { kind: 'resubmit' });
    expect(await rig.client.ended('film')).toMatchObject({ state: 'completed' });
    expect(await buildsOf('film')).toEqual({ production: ['one', 'two'], a: ['one', 'two'], a2: ['two'] });
  });

  it('stays with its first workers if versions are pinned', async () => {
    const pinned = { DAILIES_VERSIONING: 'pinned' };
    await startVersion('one', pinned);
    await deploy('one', pinned);
    await startParked('film');
    await startVersion('two', pinned);
    await deploy('two', pinned);

    await rig.client.resolve('film', 'a', { kind: 'resubmit' });
    expect(await rig.client.ended('film')).toMatchObject({ state: 'completed' });
    expect(await buildsOf('film')).toEqual({ production: ['one'], a: ['one'], a2: ['one'] });

    expect(await rig.render(film('later', [betaShot('a')]))).toMatchObject({ state: 'completed' });
    expect(await buildsOf('later')).toEqual({ production: ['two'], a: ['two'] });
  });

  it("does not need old workers for the account's arbiter, which continues with the new ones, pinned or not", async () => {
    const pinned = { DAILIES_VERSIONING: 'pinned' };
    await rig.store.account('sandbox').limits.change(() => ({ account: { inFlight: 1 }, models: {} }));
    const old = await startVersion('one', pinned);
    await deploy('one', pinned);
    expect(await rig.render(film('film', [betaShot('a')]))).toMatchObject({ state: 'completed' });
    await startVersion('two', pinned);
    await deploy('two', pinned);
    await old.kill('SIGTERM');
    expect(await rig.render(film('later', [betaShot('a'), betaShot('b')]))).toMatchObject({ state: 'completed' });
    expect(await rig.client.arbiter.view()).toMatchObject({ limits: { account: { inFlight: 1 } } });
  });

  it('continues with versions if it began without them', async () => {
    const old = await startWorkerProcess(rig);
    workers.push(old);
    await startParked('film');
    await startVersion('one');
    await deploy('one');
    await old.kill('SIGTERM');

    await rig.client.resolve('film', 'a', { kind: 'resubmit' });
    expect(await rig.client.ended('film')).toMatchObject({ state: 'completed' });
    expect((await buildsOf('film'))['a2']).toEqual(['one']);
  });
});

describe('a version that is not current', () => {
  it('cannot be made current before its workers poll', async () => {
    await startVersion('one');
    const { exitCode, stderr } = await deployed('two');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('start its workers first');
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

function deployed(build: string | undefined, env: Record<string, string> = {}): ReturnType<typeof dailies> {
  return dailies(['deploy'], {
    folder: rig.store.folder,
    env: { TEMPORAL_ADDRESS: rig.server.address, ...versionEnv(build), ...env },
  });
}

async function deploy(...version: Parameters<typeof deployed>): ReturnType<typeof dailies> {
  const done = await deployed(...version);
  expect(done).toMatchObject({ exitCode: 0 });
  return done;
}

/** Starts a chain whose first shot is parked before it was ever accepted. */
async function startParked(id: string): Promise<void> {
  rig.sandbox.faults.inject({ kind: 'refuse-402', on: 'submit', count: 1 });
  await rig.start(film(id, [betaShot('a'), linkedShot('a2', 'a')]), { assemble: false });
  await until(async () => (await rig.client.status(id))?.shots.some(({ state }) => state === 'parked'));
}

/** The builds whose workers took part in a production and its shots, in their order. */
async function buildsOf(id: string): Promise<Record<string, readonly string[]>> {
  const status = await rig.client.status(id);
  const workflows: [string, string][] = [
    ['production', productionWorkflowId(rig.store.id, id)],
    ...(status?.shots ?? []).map((shot): [string, string] => [shot.id, shotWorkflowId(rig.store.id, id, shot.id)]),
  ];
  const builds = workflows.map(async ([name, workflowId]) => {
    const { events } = await rig.temporal.client.workflow.getHandle(workflowId).fetchHistory();
    const took = (events ?? []).flatMap(
      ({ workflowTaskCompletedEventAttributes: completed }) => completed?.deploymentVersion?.buildId ?? [],
    );
    return [name, [...new Set(took)]] as const;
  });
  return Object.fromEntries(await Promise.all(builds));
}
