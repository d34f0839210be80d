import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { FfmpegMissingError, findFfmpeg } from '../../media';
import { temporaryFolder } from '../support/temporary-folder';
import { scriptedFfmpeg } from './fixtures';

let folder: string;
const pathBefore = process.env['PATH'];

beforeAll(async () => {
  folder = await temporaryFolder();
});

afterEach(() => {
  process.env['PATH'] = pathBefore;
});

async function putOnPath(script: string): Promise<void> {
  const { path } = await findFfmpeg();
  const bin = join(await temporaryFolder(), 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'ffmpeg'), `#!/bin/sh\n${script.replace('$REAL', path)}\n`, { mode: 0o755 });
  process.env['PATH'] = `${bin}${delimiter}${pathBefore ?? ''}`;
}

it('finds an ffmpeg and knows its version and filters', async () => {
  const ffmpeg = await findFfmpeg();
  expect(ffmpeg.version).toMatch(/\d/);
  for (const filter of ['overlay', 'concat', 'scale', 'amix']) expect(ffmpeg.filters).toContain(filter);
  expect(ffmpeg.filters).not.toContain('=');
});

it('asks each ffmpeg for its filters once', async () => {
  const [one, other] = await Promise.all([findFfmpeg(), findFfmpeg()]);
  expect(other.filters).toBe(one.filters);
});

it('takes the path that it is given', async () => {
  const { path } = await scriptedFfmpeg(folder, 'exec "$REAL" "$@"');
  expect(await findFfmpeg({ ffmpegPath: path })).toMatchObject({ path, source: 'configured' });
});

it('never passes over a given path that does not work', async () => {
  const missing = join(folder, 'nowhere');
  const refusal = await findFfmpeg({ ffmpegPath: missing }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(FfmpegMissingError);
  expect((refusal as Error).message).toContain(missing);
  expect((refusal as Error).message).toContain('apt install ffmpeg');
});

it('refuses a program that is no ffmpeg', async () => {
  await expect(findFfmpeg({ ffmpegPath: process.execPath })).rejects.toThrow(FfmpegMissingError);
});

it('tries a path again that did not work before', async () => {
  const late = join(folder, 'scripted-late');
  await expect(findFfmpeg({ ffmpegPath: late })).rejects.toThrow(FfmpegMissingError);
  const { path } = await findFfmpeg();
  await writeFile(late, `#!/bin/sh\nexec "${path}" "$@"\n`, { mode: 0o755 });
  expect(await findFfmpeg({ ffmpegPath: late })).toMatchObject({ source: 'configured' });
});

it('passes over an ffmpeg on PATH that cannot encode films', async () => {
  const real = await findFfmpeg();
  if (real.source === 'path') return;
  await putOnPath('echo "ffmpeg version 7"');
  expect(await findFfmpeg()).toMatchObject({ source: 'installer' });
});

it('prefers an ffmpeg on PATH to the installed package', async () => {
  await putOnPath('exec "$REAL" "$@"');
  expect(await findFfmpeg()).toMatchObject({ path: 'ffmpeg', source: 'path' });
});
