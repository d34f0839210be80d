import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ModuleKind, transpileModule } from 'typescript';
import { FfmpegMissingError, findFfmpeg } from '../../media';
import { temporaryFolder } from '../support/temporary-folder';
import { scriptedFfmpeg } from './fixtures';

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});

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

it('refuses a program that is not ffmpeg', async () => {
  await expect(findFfmpeg({ ffmpegPath: process.execPath })).rejects.toThrow(FfmpegMissingError);
});

it('names the signal that ended a program', async () => {
  const path = join(folder, 'killed');
  await writeFile(path, '#!/bin/sh\nkill -KILL $$\n', { mode: 0o755 });
  await expect(findFfmpeg({ ffmpegPath: path })).rejects.toThrow('does not run (SIGKILL)');
});

it('tries a path again that did not work before', async () => {
  const late = join(folder, 'scripted-late');
  await expect(findFfmpeg({ ffmpegPath: late })).rejects.toThrow(FfmpegMissingError);
  const { path } = await findFfmpeg();
  await writeFile(late, `#!/bin/sh\nexec "${path}" "$@"\n`, { mode: 0o755 });
  expect(await findFfmpeg({ ffmpegPath: late })).toMatchObject({ source: 'configured' });
});

describe('an ffmpeg on PATH', () => {
  it('is preferred to the installed package', async () => {
    const { path } = await findFfmpeg();
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `command -v "${path}"`]);
    const found = await foundWithOnPath(`exec "${stdout.trim()}" "$@"`);
    expect(found).toEqual({ path: 'ffmpeg', source: 'path' });
  });

  it('is skipped if it cannot encode films', async () => {
    expect(await foundWithOnPath('echo "ffmpeg version 7"')).toMatchObject({ source: 'installer' });
  });
});

/** What a new process finds with only this script on its PATH; under Jest a process cannot change its own PATH. */
async function foundWithOnPath(script: string): Promise<unknown> {
  const bin = await temporaryFolder();
  await writeFile(join(bin, 'ffmpeg'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  for (const name of ['find-ffmpeg', 'confined']) {
    const source = await readFile(require.resolve(`../../media/${name}`), 'utf8');
    const compilerOptions = { module: ModuleKind.CommonJS, esModuleInterop: true };
    await writeFile(join(bin, `${name}.js`), transpileModule(source, { compilerOptions }).outputText);
  }
  const print =
    'require("./find-ffmpeg.js").findFfmpeg().then(({ path, source }) => console.log(JSON.stringify({ path, source })))';
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', print], {
    cwd: bin,
    env: { PATH: bin, NODE_PATH: join(__dirname, '../../node_modules') },
  });
  return JSON.parse(stdout);
}
