import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, dailiesProcess, type Ended, environmentOf, type Place } from './command';

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

/** Verbs that run as processes of their own: those that start or inspect processes, and one of each other kind. */
const OF_THEIR_OWN: ReadonlySet<string> = new Set(
  ['render', 'list', 'batch', 'takes', 'ledger', 'schedule list', 'generate', 'limits'].concat([
    'up',
    'studio',
    'worker',
    'deploy',
    'sandbox',
    'doctor',
  ]),
);

/** Runs several compiled commands in one process, which takes a tenth of the time, and prints how each has ended. */
const ONE_PROCESS = `
const { EventEmitter } = require('node:events');
const { Readable, Writable } = require('node:stream');
const [, runDailies, commands] = process.argv;
async function run(args) {
  const ended = { stdout: '', stderr: '' };
  const to = (name) => new Writable({ write(text, _, done) { ended[name] += text; done(); } });
  const streams = { stdin: Readable.from([]), stdout: to('stdout'), stderr: to('stderr') };
  const { env } = process;
  const surroundings = { cwd: process.cwd(), env, ...streams, signals: new EventEmitter() };
  return { exitCode: await require(runDailies).runDailies(args, surroundings), ...ended };
}
(async () => {
  const all = [];
  for (const args of JSON.parse(commands)) all.push(await run(args));
  process.stdout.write(JSON.stringify(all));
})();
`;
const RUN_DAILIES = join(__dirname, '..', '..', 'dist', 'scripts', 'run-dailies.js');

describe('the compiled command', () => {
  let folder: string;
  let place: Place;
  beforeAll(async () => {
    folder = await temporaryFolder();
    place = { folder, env: { FFMPEG_PATH: join(folder, 'no-ffmpeg') } };
    writeFileSync(join(folder, 'film.yaml'), FILM);
    writeFileSync(join(folder, 'rows.csv'), ROWS);
  });

  const runs = RUNS.map(([verb, exitCode, ...words]) => ({ verb, exitCode, args: [...verb.split(' '), ...words] }));
  const [own, others] = [true, false].map((is) => runs.filter(({ verb }) => OF_THEIR_OWN.has(verb) === is));

  it.each(own!)('runs $verb to exit code $exitCode, as a process', async ({ exitCode, args }) => {
    expectEnded(await dailiesProcess(args, place), exitCode);
  });

  it('runs all other verbs to their exit codes', async () => {
    const commands = JSON.stringify(others!.map(({ args }) => args));
    const node = promisify(execFile)(process.execPath, ['-e', ONE_PROCESS, RUN_DAILIES, commands], {
      cwd: folder,
      env: environmentOf(place),
    });
    const ended = JSON.parse((await node).stdout) as readonly Ended[];
    expect(ended.map(({ exitCode }, index) => [others![index]!.verb, exitCode])).toEqual(
      others!.map(({ verb, exitCode }) => [verb, exitCode]),
    );
    for (const [index, one] of ended.entries()) expectEnded(one, others![index]!.exitCode);
  });

  function expectEnded(ended: Ended, exitCode: number): void {
    expect(ended).toMatchObject({ exitCode });
    expect(ended.stdout + ended.stderr).not.toBe('');
    expect(ended.stderr).not.toContain('    at ');
  }

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
