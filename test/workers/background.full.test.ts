import childProcess from 'node:child_process';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { betaShot, film, linkedShot, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

describe('the background work of a worker', () => {
  let rig: Rig;
  const pieces = () => readdir(join(rig.store.folder, 'pieces'));

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());

  it('renders clips of a chain for the film while the chain continues, and keeps none of them', async () => {
    const spawn = jest.spyOn(childProcess, 'spawn');
    await rig.render(film('chain', [betaShot('one'), linkedShot('two', 'one')]));
    // On one core: decoder and encoder have one thread each.
    const ahead = spawn.mock.calls.filter(([, args]) => args.filter((word) => word === '-threads').length === 2);
    expect(ahead).toHaveLength(1);
    expect(await pieces()).toEqual([]);
    spawn.mockRestore();
  });

  it('removes unused files when it starts', async () => {
    const left = join(rig.store.folder, 'pieces', 'left');
    await mkdir(left, { recursive: true });
    const longAgo = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
    await utimes(left, longAgo, longAgo);
    await rig.startWorker({}, { name: 'second' });
    await until(async () => !(await pieces()).includes('left'));
  });
});
