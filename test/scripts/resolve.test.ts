import { join } from 'node:path';
import { SINCE, gateway, run, holdUp } from './resolve-command';

describe('dailies resolve', () => {
  it('answers a single task, which ended with what to type, by a file of its kind', async () => {
    gateway.faults.inject({ kind: 'accept-drop', count: 1 });
    const poster = ['generate', '--model', 'pixel-image-1', '--output', 'image', '--prompt', 'A poster', '--json'];
    const parked = await run(...poster, '--id', 'poster');
    expect(parked.exitCode).toBe(3);
    const command = 'dailies resolve generations poster --adopt TASK_ID | --resubmit | --skip | --use FILE';
    expect(JSON.parse(parked.stdout)).toMatchObject({
      id: 'poster',
      state: 'parked',
      parked: { for: 'unclear', since: SINCE, command },
    });
    expect(parked.stderr).toMatch(
      /^ {2}dailies resolve generations poster --resubmit +send it again: .* charges both$/m,
    );

    const picture = join(__dirname, '../../productions/lighthouse/dawn.jpg');
    const music = join(__dirname, '../../productions/lighthouse/music.m4a');
    await holdUp();
    const refused = await run('resolve', 'generations', 'poster', '--use', music);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('the shot takes an image') });
    const resolved = await run('resolve', 'generations', 'poster', '--use', picture);
    expect(resolved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('the same `dailies generate`') });
    const again = await run(...poster, '--id', 'poster');
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'completed', asset: { mediaType: 'image/jpeg' } });
    expect(gateway.tasks()).toHaveLength(1);
  });

  it('says at once that it knows no such production', async () => {
    expect(await run('resolve', 'elsewhere', 'dawn', '--skip')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no production "elsewhere" is known here'),
    });
  });
});
