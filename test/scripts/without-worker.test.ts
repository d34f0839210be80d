import { EXIT } from '../../scripts/process/exit-codes';
import { betaShot, film, type Rig, rigEnv, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { startWorkerProcess } from '../support/worker-process';
import { dailies, type Place, startDailies } from './command';

const RETAKE = ['retake', 'film', 'a', '--prompt', 'Another.', '--yes'];

describe('a command that directs a production that no worker serves', () => {
  let rig: Rig;
  let place: Place;

  beforeAll(async () => {
    // The production must not end before its worker is stopped.
    rig = await startRig({ renderSeconds: 600 }, { inProcess: false });
    place = { folder: await temporaryFolder(), env: rigEnv(rig) };
    await rig.start(film('film', [betaShot('a')]));
  });

  afterAll(() => rig.close());

  const direction = (): Promise<unknown> => rig.store.directing.direction('film', 'a');

  it('is refused, and has changed nothing', async () => {
    const { exitCode, stderr } = await dailies(RETAKE, place);
    expect(stderr).toContain('nothing has changed. No worker serves');
    expect(exitCode).toBe(EXIT.refused);
    expect(await direction()).toBeUndefined();
  });

  it('is paused and resumed without one; resume says that nothing goes on yet', async () => {
    expect((await dailies(['pause', 'film'], place)).exitCode).toBe(EXIT.completed);
    const { exitCode, stderr } = await dailies(['resume', 'film'], place);
    expect(stderr).toContain('It goes on when a worker runs; none runs now');
    expect(exitCode).toBe(EXIT.completed);
  });

  it('says in JSON that a task was interrupted', async () => {
    const command = startDailies(['generate', '--model', 'beta-2.5', '--prompt', 'A pier.', '--json'], place);
    await Promise.race([
      until(() => Promise.resolve(command.stderr().includes('find this task again'))),
      command.ended,
    ]);
    command.signal('SIGINT');
    const { exitCode, stdout } = await command.ended;
    expect(exitCode).toBe(EXIT.interrupted);
    expect(JSON.parse(stdout)).toEqual({ error: 'interrupted before the task had ended' });
  });

  it('is refused for doctor --spend if no gateway is configured', async () => {
    const { DAILIES_GATEWAY_URL: url, DAILIES_GATEWAY_KEY: key, ...env } = rigEnv(rig);
    expect([url, key]).not.toContain(undefined);
    const { exitCode, stderr } = await dailies(['doctor', '--spend', '--yes'], { ...place, env });
    expect(stderr).toContain('set DAILIES_GATEWAY_URL and DAILIES_GATEWAY_KEY');
    expect(exitCode).toBe(EXIT.refused);
  });

  it('ends on Ctrl-C if a worker that Temporal still lists does not answer, and has changed nothing', async () => {
    const worker = await startWorkerProcess(rig);
    await until(() => rig.client.hasWorker());
    worker.process.kill('SIGSTOP');
    try {
      const command = startDailies(RETAKE, place);
      const isAsking = (): boolean => command.stderr().includes('Waiting for a worker to answer');
      await Promise.race([until(() => Promise.resolve(isAsking())), command.ended]);
      command.signal('SIGINT');
      const { exitCode, stderr } = await command.ended;
      expect({ exitCode, stderr }).toMatchObject({ exitCode: EXIT.interrupted });
      expect(await direction()).toBeUndefined();
    } finally {
      await worker.kill('SIGKILL');
    }
  });
});
