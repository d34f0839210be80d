import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, dailiesProcess } from './command';

const FILM = 'shots: [{ id: dawn, model: alpha-video, prompt: Dawn. }]';
const ROWS = 'key,model,prompt\none,alpha-video,Dawn.\n';

/** One run of every verb, with its exit code. Without ffmpeg no embedded set starts, so each run ends at once. */
const RUNS: readonly (readonly [verb: string, exitCode: number, ...words: readonly string[]])[] = [
  ['render', 0, 'film.yaml', '--dry-run'],
  ['plan', 0, 'film.yaml'],
  ['validate', 0, 'film.yaml'],
  ['list', 0],
  ['status', 2, 'nowhere'],
  ['pause', 2, 'nowhere'],
  ['resume', 2, 'nowhere'],
  ['cancel', 2, 'nowhere'],
  ['assemble', 2, 'nowhere'],
  ['fork', 2, 'nowhere', 'new'],
  ['prune', 0, '--dry-run'],
  ['batch', 0, 'rows.csv', '--dry-run'],
  ['batch status', 2, 'nowhere'],
  ['batch cancel', 2, 'nowhere'],
  ['batch retry-failed', 2, 'nowhere'],
  ['batch results', 2, 'nowhere'],
  ['resolve', 2, 'nowhere', 'dawn', '--skip'],
  ['budget', 2, 'nowhere'],
  ['takes', 2, 'nowhere'],
  ['export', 2, 'nowhere'],
  ['notify', 2, 'nowhere'],
  ['choose', 2, 'nowhere', 'dawn', '1'],
  ['retake', 2, 'nowhere', 'dawn'],
  ['approve', 2, 'nowhere', 'dawn'],
  ['reject', 2, 'nowhere', 'dawn'],
  ['review', 2, 'nowhere'],
  ['edit', 2, 'nowhere', 'film.yaml'],
  ['ledger', 0],
  ['audit', 2, 'nowhere'],
  ['store', 0],
  ['schedule create', 2, 'x', 'film.yaml'],
  ['schedule update', 2, 'x'],
  ['schedule list', 0],
  ['schedule show', 2, 'x'],
  ['schedule pause', 2, 'x'],
  ['schedule resume', 2, 'x'],
  ['schedule trigger', 2, 'x'],
  ['schedule backfill', 2, 'x', '--from', '2026-01-01T00:00:00Z', '--to', '2026-01-02T00:00:00Z'],
  ['schedule delete', 2, 'x'],
  ['generate', 2],
  ['models', 0],
  ['limits', 0],
  ['queue', 0],
  ['up', 2],
  ['studio', 2, '--no-open'],
  ['worker', 2],
  ['deploy', 2],
  ['sandbox', 2, '--fault', 'none=1'],
  ['doctor', 2],
];

describe('the command as a process', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
    writeFileSync(join(folder, 'rows.csv'), ROWS);
  });

  const runs = RUNS.map(([verb, exitCode, ...words]) => ({ verb, exitCode, words }));
  it.each(runs)('runs $verb to exit code $exitCode', async ({ verb, exitCode, words }) => {
    const place = { folder, env: { FFMPEG_PATH: join(folder, 'no-ffmpeg') } };
    const ended = await dailiesProcess([...verb.split(' '), ...words], place);
    expect(ended).toMatchObject({ exitCode });
    expect(ended.stdout + ended.stderr).not.toBe('');
    expect(ended.stderr).not.toContain('    at ');
  });

  it('has a run for every verb', async () => {
    const verbs = async (...parents: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await dailies([...parents, '--help'], { folder });
      const names = [
        ...stdout
          .split('Options:')
          .at(-1)!
          .matchAll(/^ {2}([a-z][a-z-]*)/gm),
      ].map(([, name]) => [...parents, name].join(' '));
      return names.filter((name) => !name.endsWith('help') && name !== 'schedule');
    };
    const all = [...(await verbs()), ...(await verbs('batch')), ...(await verbs('schedule'))];
    expect(RUNS.map(([verb]) => verb).toSorted()).toEqual(all.toSorted());
  });
});
