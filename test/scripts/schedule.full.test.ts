import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../sandbox';
import { openStore } from '../../store';
import { killSet } from '../support/running-parts';
import { PICTURE_FILE, runsOf, untilEnded } from '../support/scheduled';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, type Ended, type Place, startProcess } from './command';

const SOMETHING_ELSE = ['generate', '--model', 'beta-video', '--prompt', 'Something else', '--set', 'duration=4'];

/** Step of the schedule whose times are missed. */
const STEP_MS = 10_000;

interface Standing {
  readonly underWay: readonly string[];
  readonly troubles: readonly { readonly reason: string }[];
  readonly counts: { readonly started: number };
}

let folder: string;
let place: Place;
const run = (...args: readonly string[]): Promise<Ended> => dailies(['schedule', ...args], place);

beforeEach(async () => {
  folder = await temporaryFolder();
  writeFileSync(join(folder, 'night.yaml'), PICTURE_FILE);
  writeFileSync(join(folder, 'wrong.yaml'), PICTURE_FILE.replace('runNumber', 'runNumbr'));
  place = { folder };
});

describe('a schedule', () => {
  let gateway: Sandbox;
  beforeEach(async () => {
    gateway = await startSandbox({ folder: join(folder, 'gateway'), ...PLAIN });
    const env = { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: 'any', DAILIES_POLL_FLOOR_MS: '250' };
    place = { folder, env };
  });
  afterEach(async () => {
    killSet(folder);
    await gateway.close();
  });

  it('is created, shown, changed, triggered and deleted by the command', async () => {
    const up = startProcess(['up'], place);
    await until(() => up.stdout().includes('The embedded set is up'));

    const refusals: readonly (readonly [readonly string[], string])[] = [
      [
        ['create', 'night', 'night.yaml', '--cron', '61 2 * * *'],
        '--cron: "61 2 * * *" is no cron expression (Minute is not in range [0-59])',
      ],
      [['create', 'night', 'night.yaml', '--cron', '0 0 30 2 *'], '--cron: "0 0 30 2 *" has no future times'],
      [['pause', 'night'], 'no schedule "night" is known here'],
    ];
    for (const [args, words] of refusals) {
      const { exitCode, stderr } = await run(...args);
      expect(stderr).toContain(words);
      expect(exitCode).toBe(2);
    }

    const made = await run(
      'create',
      'night',
      'night.yaml',
      '--cron',
      '0 2 * * 1-5',
      '--timezone',
      'Europe/Berlin',
      '--jitter',
      '5m',
      '--json',
    );
    expect(made.stderr).toContain('a schedule fires only while `dailies up` runs');
    expect(JSON.parse(made.stdout)).toMatchObject({
      schedule: 'night',
      state: 'active',
      timing: { cron: '0 2 * * 1-5', timezone: 'Europe/Berlin', overlap: 'skip', jitter: '5m', pauseOnFailure: true },
      // The shortest step between its times.
      catchUpSeconds: 24 * 60 * 60,
      counts: { started: 0, skipped: 0, missed: 0, dropped: 0, waiting: 0 },
      runs: [],
    });
    expect((await run('create', 'night', 'night.yaml', '--every', '6h')).stderr).toContain(
      'there is a schedule "night"',
    );
    expect((await run('show', 'nigth')).stderr).toContain('Did you mean "night"?');

    // An invalid change leaves the schedule unchanged.
    expect((await run('update', 'night', '--cron', '0 0 30 2 *')).exitCode).toBe(2);
    expect((await run('update', 'night', '--overlap', 'buffer-one', '--no-pause-on-failure')).exitCode).toBe(0);
    expect(JSON.parse((await run('show', 'night', '--json')).stdout)).toMatchObject({
      timing: { cron: '0 2 * * 1-5', overlap: 'buffer-one', pauseOnFailure: false, jitter: '5m' },
      catchUpSeconds: 24 * 60 * 60,
      file: { version: 2 },
    });

    expect((await run('pause', 'night', '--note', 'on holiday')).exitCode).toBe(0);
    expect((await run('pause', 'night')).stderr).toContain('is paused already');
    expect((await run('list')).stdout).toContain('night  paused  cron 0 2 * * 1-5, Europe/Berlin');
    expect((await run('resume', 'night')).exitCode).toBe(0);
    expect((await run('resume', 'night')).stderr).toContain('is not paused');

    expect((await run('backfill', 'night', '--from', '2020-01-06', '--to', '2020-01-07T00:00:00Z')).stderr).toContain(
      '--from: "2020-01-06" is not an instant',
    );
    expect(
      (await run('backfill', 'night', '--from', '2020-01-06T00:00Z', '--to', '2999-01-01T00:00Z')).stderr,
    ).toContain('is in the future');
    expect(
      (await run('backfill', 'night', '--from', '2010-01-06T00:00Z', '--to', '2020-01-01T00:00Z')).stderr,
    ).toContain('1000 times or more');

    const { production } = JSON.parse((await run('trigger', 'night', '--json')).stdout) as { production: string };
    await until(() => gateway.tasks().length === 1);
    expect((await dailies(['render', 'night.yaml', '--id', production], place)).stderr).toContain(
      `dailies schedule trigger night --again ${production}`,
    );
    // The set that rendered it also exports it.
    const lies = join(folder, 'out', 'night', production.slice('night-'.length));
    await until(() => up.stderr().includes(`"${production}" has ended and is exported to ${lies}.`));
    expect(readdirSync(join(lies, 'takes'))).toEqual(['a-take-1.png']);
    expect((await dailies(['status', production], place)).stdout).toContain(join(lies, 'index.html'));
    up.process.kill('SIGINT');
    await up.ended;

    const { stdout, stderr } = await run('show', 'night');
    expect(stdout).toMatch(new RegExp(`${production}  no\\. 1  completed  ${lies}`));
    rmSync(lies, { recursive: true });
    expect((await run('show', 'night')).stdout).toContain(`dailies export ${production}`);
    expect((await dailies(['export', production], place)).stdout).toContain(join(lies, 'index.html'));
    expect(stderr).toContain('Temporal does not run');
    expect((await run('delete', 'night')).exitCode).toBe(0);
    expect((await run('list')).stdout).toContain('There is no schedule');
  });

  it('starts no missed run while another command holds the set, nor after that command has paused it', async () => {
    const store = await openStore(join(folder, 'store'));
    const runs = async (): Promise<number> => (await runsOf(store, 'loop')).length;
    const first = startProcess(['up'], place);
    await until(() => first.stdout().includes('The embedded set is up'));
    const often = ['--every', `${STEP_MS / 1_000}s`, '--catch-up', '1h'];
    expect((await run('create', 'loop', 'night.yaml', ...often)).exitCode).toBe(0);
    await untilEnded(store, 'loop', 1);
    first.process.kill('SIGINT');
    await first.ended;
    const left = Date.now();
    const before = await runs();

    // Times are due when the command starts the set, and others come while it holds the set.
    await until(() => Math.floor(Date.now() / STEP_MS) > Math.floor(left / STEP_MS));
    gateway.faults.inject({ kind: 'accept-late', count: 1, seconds: 15 });
    const bought = gateway.tasks().length;
    const other = startProcess(SOMETHING_ELSE, place);
    await until(() => gateway.tasks().length > bought);
    // It does not see its task end before a look, however long one takes, has shown that the run waits.
    gateway.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    await until(async () => (await standing()).troubles[0]?.reason.includes('begins when `dailies up` or'));
    gateway.faults.clear();
    expect((await other.ended).exitCode).toBe(0);
    expect(await runs()).toBe(before);
    expect((await run('pause', 'loop')).exitCode).toBe(0);
    const second = startProcess(['up'], place);
    await until(() => second.stdout().includes('The embedded set is up'));
    await until(async () => (await standing()).underWay.length === 0);
    expect(await runs()).toBe(before);
    expect((await standing()).counts.started).toBeGreaterThan(before);

    expect((await run('resume', 'loop')).exitCode).toBe(0);
    await until(async () => (await runs()) > before);
    second.process.kill('SIGINT');
    await second.ended;
  });

  async function standing(): Promise<Standing> {
    return JSON.parse((await run('show', 'loop', '--json')).stdout) as Standing;
  }
});
