import { type Rig, rigEnv, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { dailiesProcess } from './command';

describe('a command that waits for long', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());

  it('looks at its task time and again, and gathers nothing that Node would warn of', async () => {
    // A look each half second: far more than the listeners that Node takes for a leak.
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
