import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { acceptedTasks } from './accepted-tasks';
import { dailies, startDailies } from './command';

interface Generated {
  readonly id: string;
  readonly state: string;
  readonly credits: number;
  readonly text: string | null;
  readonly asset: { readonly path: string; readonly mediaType: string };
}

const TEXT = ['generate', '--model', 'quill-text-1', '--output', 'text', '--prompt', 'A lighthouse', '--execute'];
const IMAGE = ['generate', '--model', 'pixel-image-1', '--workflow', 'pixel/v1/image', '--output', 'image'];

describe('dailies generate', () => {
  it('writes a text to stdout and an image to the out folder, and pays once for the same flags', async () => {
    const folder = await temporaryFolder();
    // One set for all four commands; otherwise each would start its own.
    const up = startDailies(['up'], { folder });
    await until(() => up.stdout() !== '');
    const text = await dailies(TEXT, { folder });
    expect(text.exitCode).toBe(0);
    expect(text.stdout).toContain('A lighthouse');
    expect(text.stderr).toContain('--id');

    const poster = [...IMAGE, '--prompt', 'A poster', '--set', 'width=320', '--set', 'height=200', '--json'];
    const image = await dailies(poster, { folder });
    const generated = JSON.parse(image.stdout) as Generated;
    expect(generated).toMatchObject({ state: 'completed', text: null, asset: { mediaType: 'image/png', width: 320 } });
    expect(generated.asset.path.startsWith(join(folder, 'out'))).toBe(true);
    expect(readFileSync(generated.asset.path).subarray(1, 4).toString()).toBe('PNG');

    const again = await dailies([...TEXT, '--json'], { folder });
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'completed', text: text.stdout.trimEnd() });
    expect(acceptedTasks(folder)).toHaveLength(2);
    const other = await dailies([...TEXT, '--id', 'another'], { folder });
    expect(other.exitCode).toBe(0);
    expect(acceptedTasks(folder)).toHaveLength(3);
    up.signal('SIGINT');
    await up.ended;
  });
});
