import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { type Sandbox, startSandbox } from '../../sandbox';
import { readHolder } from '../../workers/embedded/lock';
import { setFiles } from '../../workers/embedded/set-files';
import { killSet } from '../support/running-parts';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, type Ended, type Place, type CommandProcess, startProcess } from './command';

/** A chain, so that one shot after the other is bought. */
const FILM = `
title: Three hours
defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit }
shots:
  - { id: one, prompt: The first hour. }
  - { id: two, prompt: The second hour., startFrame: { lastFrameOf: one } }
  - { id: three, prompt: The third hour., startFrame: { lastFrameOf: two } }
`;

/** Takes as long as a shot, so that there is time to buy the next one. */
const SOMETHING_ELSE = ['generate', '--model', 'beta-video', '--prompt', 'Something else', '--set', 'duration=4'];

/** Longer than a command takes to show that a shot renders. */
const RENDER_SECONDS = 6;

describe('a paused production', () => {
  let folder: string;
  let gateway: Sandbox;
  let place: Place;
  beforeEach(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
    gateway = await startSandbox({ folder: join(folder, 'gateway'), renderSeconds: RENDER_SECONDS, ...PLAIN });
    const env = { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: 'any', DAILIES_POLL_FLOOR_MS: '250' };
    place = { folder, env };
  });
  afterEach(async () => {
    killSet(folder);
    await gateway.close();
  });
  const run = (...args: readonly string[]): Promise<Ended> => dailies(args, place);
  const begin = (...args: readonly string[]): CommandProcess => startProcess(args, place);
  /** Running tasks report no end until `letReadsThrough`, however long a command takes to start meanwhile. */
  const refuseReads = (): void => void gateway.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
  const letReadsThrough = (): void => gateway.faults.clear();
  /** The prompts of the film that the gateway has accepted. */
  const bought = (): readonly unknown[] =>
    gateway
      .tasks()
      .flatMap(({ parameters }) => (parameters['prompt'] === 'Something else' ? [] : [parameters['prompt']]));

  it('buys nothing more until it is resumed, even after the set was killed; a partial film can be assembled meanwhile', async () => {
    const first = begin('render', 'film.yaml', '--json');
    await until(() => /^one: renders/m.test(first.stderr()) && first);
    refuseReads();
    expect(await run('pause', 'film', '--reason', 'the client is away')).toMatchObject({ exitCode: 0 });
    letReadsThrough();
    const left = await first.ended;
    expect(left.exitCode).toBe(3);
    expect(manifestOf(left)).toMatchObject({
      state: 'running',
      paused: { reason: 'the client is away', command: 'dailies resume film' },
      shots: [{ state: 'completed' }, { state: 'rendering' }, { state: 'pending' }],
    });
    expect(bought()).toEqual(['The first hour.']);

    for (const [args, words] of [
      [['render', 'film.yaml'], '`dailies resume film` lets it go on'],
      [['pause', 'film'], 'paused already'],
    ] as const) {
      const refused = await run(...args);
      expect(refused.stderr).toContain(words);
      expect(refused.exitCode).toBe(2);
    }

    const up = begin('up');
    await until(() => up.stdout().includes('The embedded set is up') && up);
    expect((await run(...SOMETHING_ELSE)).exitCode).toBe(0);
    const partial = await run('assemble', 'film', '--json');
    const file = join(folder, 'out', 'film', 'film.partial.mp4');
    expect(JSON.parse(partial.stdout)).toMatchObject({
      film: { path: file, durationSeconds: expect.closeTo(4, 0) as number },
      partial: true,
      missing: [{ shot: 'two' }, { shot: 'three' }],
    });
    expect(existsSync(file)).toBe(true);
    const holder = await readHolder(setFiles(join(folder, 'store')).lock);
    up.process.kill('SIGKILL');
    process.kill(holder!.process.pid, 'SIGKILL');
    killSet(folder);
    await up.ended;
    expect((await run('status', 'film')).stdout).toContain('running (paused since');
    expect(bought()).toEqual(['The first hour.']);

    const resumed = await run('resume', 'film');
    expect(resumed.stderr).toContain(`dailies render ${join(folder, 'film.yaml')} --id film`);
    expect((await run('resume', 'film')).exitCode).toBe(2);
    const ended = await run('render', 'film.yaml', '--json');
    expect(ended.exitCode).toBe(0);
    expect(manifestOf(ended)).toMatchObject({ state: 'completed', paused: null, credits: { charged: 60 } });
    expect(bought()).toHaveLength(3);

    const whole = await run('assemble', 'film', '--out', 'whole', '--json');
    const { film } = manifestOf(ended);
    expect(JSON.parse(whole.stdout)).toMatchObject({
      film: { path: join(folder, 'whole', 'film.mp4'), sha256: film?.sha256 },
      partial: false,
      missing: [],
    });
  });

  it('is settled from the ledger when it is cancelled; a later render pays only for the rest', async () => {
    const first = begin('render', 'film.yaml', '--json');
    await until(() => /^two: renders/m.test(first.stderr()) && first);
    refuseReads();
    const cancelling = begin('cancel', 'film', '--json');
    await Promise.race([until(() => cancelling.stderr().includes('Cancelling "film"')), cancelling.ended]);
    letReadsThrough();
    const cancelled = await cancelling.ended;
    expect(cancelled.exitCode).toBe(0);
    expect((await first.ended).exitCode).toBe(3);
    expect(JSON.parse(cancelled.stdout)).toEqual({
      production: 'film',
      state: 'cancelled',
      spent: { credits: 40, byThisRender: 40, tasksWithoutPrice: 0 },
      collected: [
        { shot: 'one', take: 1 },
        { shot: 'two', take: 1 },
      ],
      unclear: [],
      uncollected: [],
      failed: [],
      notStarted: ['three'],
    });
    expect((await run('pause', 'film')).stderr).toContain('has ended (cancelled)');

    const second = begin('render', 'film.yaml');
    await until(() => /^three: (starts|renders)/m.test(second.stderr()) && second);
    refuseReads();
    const atOnce = await run('cancel', 'film', '--no-wait');
    letReadsThrough();
    expect(atOnce).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^ {2}collected +one \(1\), two \(1\)$/m),
    });
    expect((await second.ended).exitCode).toBe(3);
  });
});

function manifestOf({ stdout }: Ended): Manifest {
  return Manifest.parse(JSON.parse(stdout));
}
