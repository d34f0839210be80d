import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../store';
import { PICTURE_FILE } from '../support/scheduled';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, type Ended, type Place } from './command';

let folder: string;
let place: Place;
const run = (...args: readonly string[]): Promise<Ended> => dailies(['schedule', ...args], place);

beforeEach(async () => {
  folder = await temporaryFolder();
  writeFileSync(join(folder, 'night.yaml'), PICTURE_FILE);
  writeFileSync(join(folder, 'wrong.yaml'), PICTURE_FILE.replace('runNumber', 'runNumbr'));
  place = { folder };
});

describe('a schedule that cannot be created', () => {
  it.each([
    ['no time', ['create', 'a', 'night.yaml'], '--cron: say when'],
    ['two times', ['create', 'a', 'night.yaml', '--cron', '@daily', '--every', '6h'], 'give one of them'],
    ['no duration', ['create', 'a', 'night.yaml', '--every', 'six hours'], '--every: "six hours" is no duration'],
    ['too short a step', ['create', 'a', 'night.yaml', '--every', '0s'], '--every: "0s" is too short'],
    [
      'a zone that is none',
      ['create', 'a', 'night.yaml', '--every', '6h', '--timezone', 'Europe/Berln'],
      'Did you mean "Europe/Berlin"?',
    ],
    [
      'a zone in other letters',
      ['create', 'a', 'night.yaml', '--every', '6h', '--timezone', 'europe/berlin'],
      'Did you mean "Europe/Berlin"?',
    ],
    [
      'an overlap that is none',
      ['create', 'a', 'night.yaml', '--every', '6h', '--overlap', 'skp'],
      'Did you mean "skip"?',
    ],
    [
      'one that would leave paid work',
      ['create', 'a', 'night.yaml', '--every', '6h', '--overlap', 'terminate-other'],
      'cancel-other collects them',
    ],
    [
      'a catch-up that is none',
      ['create', 'a', 'night.yaml', '--every', '6h', '--catch-up', '5s'],
      '--catch-up: "5s" is too short',
    ],
    [
      'more jitter than time',
      ['create', 'a', 'night.yaml', '--every', '6h', '--jitter', '7h'],
      '--jitter: "7h" is not less than the period',
    ],
    ['a name that is too long', ['create', 'a'.repeat(41), 'night.yaml', '--every', '6h'], 'at most 40'],
    ['a name as of runs by hand', ['create', 'a-hand', 'night.yaml', '--every', '6h'], 'ends in -hand'],
    ['a name out of the store', ['create', '../a', 'night.yaml', '--every', '6h'], 'is not a valid schedule name'],
    [
      'a variable that is none',
      ['create', 'a', 'wrong.yaml', '--every', '6h'],
      'wrong.yaml:8:13 "{{runNumbr}}" is no variable of a run',
    ],
    [
      'a file that is not there',
      ['create', 'a', 'nothing.yaml', '--every', '6h'],
      'nothing.yaml:1:1 there is no such file',
    ],
    ['a schedule that is not known', ['show', 'nowhere'], 'no schedule "nowhere" is known here'],
  ])('is refused, and nothing is created or started: %s', async (_what, args, words) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect(stderr).toContain(words);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(existsSync(join(folder, 'store', 'schedules'))).toBe(false);
    expect(existsSync(join(folder, 'store', 'embedded'))).toBe(false);
  });

  it('leaves no temporary rows of a batch if there is no server', async () => {
    const [rows, aside] = [join(folder, 'rows.csv'), join(folder, 'aside')];
    writeFileSync(rows, 'key,model,prompt\na,alpha-video,a quay\n');
    mkdirSync(aside);
    await openStore(join(folder, 'store'));
    place = { folder, env: { TMPDIR: aside, TEMPORAL_ADDRESS: '127.0.0.1:1' } };
    const { exitCode, stderr } = await run('create', 'rows', rows, '--every', '6h');
    expect(stderr).toContain('127.0.0.1:1');
    expect(exitCode).not.toBe(0);
    expect(readdirSync(aside).filter((name) => name.startsWith('dailies-'))).toEqual([]);
  });

  it('has all its errors reported at once', async () => {
    const { stderr } = await run('create', 'a', 'night.yaml', '--every', 'x', '--timezone', 'y', '--jitter', 'z');
    expect(stderr.match(/^(error: | {2})--\S+: /gm)).toHaveLength(3);
  });
});
