import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { probe } from '../../media';
import { type Sandbox, startSandbox } from '../../sandbox';
import { openStore } from '../../store';
import { readHolder } from '../../workers/embedded/lock';
import { setFiles } from '../../workers/embedded/set-files';
import { PAINTED_ENV, PLAIN } from '../support/pictures';
import { killSet, runningParts } from '../support/running-parts';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { acceptedTasks } from './accepted-tasks';
import { dailies, type Ended, type Place, startProcess } from './command';

/** A chain of two beside a third shot. */
const FILM = `
title: Two mornings
defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit }
shots:
  - { id: dawn, prompt: The sun comes up over the sea., caption: It is early. }
  - { id: day, prompt: The day begins., startFrame: { lastFrameOf: dawn } }
  - { id: night, prompt: Stars over a hill. }
`;

/** Long enough for a task to be under way when the command is interrupted. */
const TASK_SECONDS = 3;

describe('dailies render with nothing configured', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
  });
  afterEach(async () => {
    // If a test fails halfway, its set must not outlive it.
    killSet(folder);
    await until(() => runningParts(folder).length === 0);
  });

  it('continues after everything was killed at once, and has each take accepted once', async () => {
    // Its clips take a while to paint: the test looks at what there is meanwhile.
    const place = { folder, env: PAINTED_ENV };
    const first = startProcess(['render', 'film.yaml'], place);
    // Not during a submit: only a person could say what became of that.
    await until(() => /^dawn: completed/m.test(first.stderr()) && /^day: renders \(/m.test(first.stderr()) && first);
    const holder = await readHolder(setFiles(join(folder, 'store')).lock);
    first.process.kill('SIGKILL');
    process.kill(holder!.process.pid, 'SIGKILL');
    killSet(folder);
    await first.ended;
    await until(() => runningParts(folder).length === 0);

    const between = await dailies(['status', 'film'], place);
    expect(between.stdout).toContain('interrupted');
    expect(runningParts(folder)).toEqual([]);

    const ended = await dailies(['render', 'film.yaml', '--json'], place);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('Going on with "film"');
    const { shots, credits } = manifestOf(ended);
    expect(shots.every(({ state, takes }) => state === 'completed' && takes.length === 1)).toBe(true);
    expect(acceptedTasks(folder)).toHaveLength(3);
    expect(credits).toEqual({ charged: 60, unclearSubmits: 0 });
  });
});

describe('dailies render on Ctrl-C', () => {
  let folder: string;
  let gateway: Sandbox;
  let place: Place;
  beforeEach(async () => {
    folder = await temporaryFolder();
    gateway = await startSandbox({ folder: join(folder, 'gateway'), renderSeconds: TASK_SECONDS, ...PLAIN });
    place = { folder, env: { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: 'any' } };
    writeFileSync(join(folder, 'film.yaml'), FILM);
  });
  afterEach(async () => {
    killSet(folder);
    await until(() => runningParts(folder).length === 0);
    await gateway.close();
  });

  it('stops, keeps what it paid for, and continues at the next render', async () => {
    const first = startProcess(['render', 'film.yaml', '--json'], place);
    await until(() => /^dawn: renders/m.test(first.stderr()) && first);
    first.process.kill('SIGINT');
    await until(() => first.stderr().includes('Leaving.') && first);
    first.process.kill('SIGINT');
    const { exitCode, stdout, stderr } = await first.ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('up to two minutes');
    expect(stderr).toContain('`dailies render film.yaml` goes on');
    expect(Manifest.parse(JSON.parse(stdout)).state).toBe('running');
    expect(runningParts(folder)).toEqual([]);

    expect((await dailies(['export', 'film'], place)).exitCode).toBe(0);
    const cancelled = await dailies(['cancel', 'film'], place);
    expect(cancelled.exitCode).toBe(0);
    const published = Manifest.parse(JSON.parse(readFileSync(join(folder, 'out/film/manifest.json'), 'utf8')));
    expect(published.state).toBe('cancelled');
    const kept = manifestOf(await dailies(['status', 'film', '--json'], place));
    expect(kept.state).toBe('cancelled');
    expect(kept.shots[0]).toMatchObject({ state: 'completed' });

    const ended = await dailies(['render', 'film.yaml', '--json'], place);
    expect(manifestOf(ended)).toMatchObject({ state: 'completed', credits: { charged: 60 } });
    expect(gateway.tasks()).toHaveLength(3);
  });

  it('detaches if `up` holds the set, and the production continues', async () => {
    const up = startProcess(['up'], place);
    await until(() => up.stdout().includes('The embedded set is up') && up);
    const first = startProcess(['render', 'film.yaml'], place);
    await until(() => /^dawn: renders/m.test(first.stderr()) && first);
    first.process.kill('SIGINT');
    const detached = await first.ended;
    expect(detached.exitCode).toBe(130);
    expect(detached.stderr).toContain('`dailies status film`');

    await until(async () => (await dailies(['status', 'film'], place)).stdout.includes('completed,'));
    up.process.kill('SIGTERM');
    expect((await up.ended).exitCode).toBe(0);
    expect(runningParts(folder)).toEqual([]);
    expect(gateway.tasks()).toHaveLength(3);
  });
});

describe('a worker of one’s own beside dailies up', () => {
  it('is started by the printed command, with a key that the sandbox accepts', async () => {
    const folder = await temporaryFolder();
    const up = startProcess(['up'], { folder });
    const line = await until(() => /^For a worker of your own beside it: (.*) dailies worker$/m.exec(up.stdout())?.[1]);
    const env = Object.fromEntries(
      [...line.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
    );
    const worker = startProcess(['worker'], { folder, env });
    await until(() => worker.stderr().includes('worker is ready') || worker.process.exitCode !== null);
    expect(worker.stderr()).toContain('worker is ready');

    const keyFile = env['DAILIES_GATEWAY_KEY_FILE'] ?? '';
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const headers = { authorization: `Bearer ${readFileSync(keyFile, 'utf8').trim()}` };
    expect((await fetch(`${env['DAILIES_GATEWAY_URL']}/sandbox/health`, { headers })).ok).toBe(true);
    for (const one of [worker, up]) {
      one.process.kill('SIGTERM');
      expect((await one.ended).exitCode).toBe(0);
    }
  });
});

describe('dailies render with a Temporal server of the person', () => {
  it('says that no worker serves it, detaches on Ctrl-C, and starts a worker with --up', async () => {
    const elsewhere = await temporaryFolder();
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
    const up = startProcess(['up'], { folder: elsewhere });
    const address = await until(() => /^ {2}Temporal +(\S+)$/m.exec(up.stdout())?.[1]);
    await openStore(join(folder, 'store'));
    const env = { TEMPORAL_ADDRESS: address };

    const waiting = startProcess(['render', 'film.yaml'], { folder, env });
    await until(() => waiting.stderr().includes('dailies worker') && waiting);
    waiting.process.kill('SIGINT');
    const detached = await waiting.ended;
    expect(detached.exitCode).toBe(130);
    expect(detached.stderr).toContain('"film" goes on');
    expect(runningParts(folder)).toEqual([]);

    const ended = await dailies(['render', 'film.yaml', '--up', '--json'], { folder, env });
    expect(ended.stderr).toContain('"film"');
    expect(ended.exitCode).toBe(0);
    // Its sandbox makes plain clips, as the variable says.
    const { state, film } = manifestOf(ended);
    expect(state).toBe('completed');
    expect(await probe(film!.path)).toMatchObject({ width: 214, height: 120 });
    expect(acceptedTasks(folder)).toHaveLength(3);
    expect(runningParts(folder)).toEqual([]);
    up.process.kill('SIGTERM');
    await up.ended;
  });
});

describe('dailies render at a gateway that fails its tasks', () => {
  it('ends with exit code 3 and what waits, pays nothing more at the next render, and keeps files that are not its own', async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
    writeFileSync(join(folder, 'index.html'), 'my own page');
    const sandbox = startProcess(['sandbox', '--port', '0', '--failed-share', '1'], { folder });
    const env = await until(() => {
      const pairs = [...sandbox.stdout().matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
      return pairs.length === 3 && (Object.fromEntries(pairs) as Record<string, string>);
    });

    for (const attempt of ['first', 'second']) {
      const { exitCode, stdout, stderr } = await dailies(['render', 'film.yaml', '--out', '.', '--json'], {
        folder,
        env,
      });
      expect(exitCode).toBe(3);
      expect(stderr).toContain(attempt === 'first' ? 'Rendering "film"' : 'Going on with "film"');
      const { state, film, shots, credits } = Manifest.parse(JSON.parse(stdout));
      expect({ state, film }).toEqual({ state: 'running', film: null });
      expect(shots.map((shot) => [shot.id, shot.state, shot.parked?.for, shot.takes.length])).toEqual([
        ['dawn', 'parked', 'failed', 2],
        ['day', 'pending', undefined, 0],
        ['night', 'parked', 'failed', 2],
      ]);
      expect(credits.charged).toBe(2 * 2 * 4 * 5);
    }
    expect(readFileSync(join(folder, 'index.kept-1.html'), 'utf8')).toBe('my own page');
    expect(readdirSync(folder)).not.toContain('index.kept-2.html');
    expect(filesHolding(env['DAILIES_GATEWAY_KEY']!, folder)).toEqual([]);
    sandbox.process.kill('SIGTERM');
    await sandbox.ended;
  });
});

function manifestOf({ stdout }: Ended): Manifest {
  return Manifest.parse(JSON.parse(stdout));
}

function filesHolding(text: string, folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}
