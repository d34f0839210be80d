import { type Rig, rigEnv, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { dailiesProcess } from './command';

describe('a command that waits for a long time', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());

  it('looks at its task again and again without leaking listeners', async () => {
    // A look every half second: far more than the number of listeners that Node warns of.
    rig.sandbox.faults.inject({ kind: 'slow', on: 'submit', count: 1, seconds: 9 });
    const place = { folder: await temporaryFolder(), env: rigEnv(rig) };
    const generate = ['generate', '--model', 'pixel-image-1', '--output', 'image', '--prompt', 'A poster', '--json'];
    const { exitCode, stdout, stderr } = await dailiesProcess(generate, place);
    expect(stderr).not.toContain('Warning');
    expect({ exitCode, state: (JSON.parse(stdout) as { state: string }).state }).toEqual({
      exitCode: 0,
      state: 'completed',
    });
  });
});
