import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FAULTS, type FaultName, type Sandbox, startSandbox } from '../../sandbox';
import { type Injection } from '../../sandbox/faults/injection';
import { type ActivityBench, acceptedTake, oneShotFilm, startBench } from '../support/activity-bench';
import { ADDRESS } from '../support/ledger-fixtures';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const FILM = oneShotFilm({ prompt: 'storm', duration: 4, resolution: '480p', colorDepth: '8bit' });

/** How often each fault strikes: more than once where an attempt can meet it more than once. */
const TIMES = 3;

/** Each fault during the download of a paid clip, and the failure of the attempt that it causes; null for none. */
const ON_THE_WAY: readonly [FaultName, string | null, Partial<Injection>?][] = [
  ['file-redirects', 'DownloadInterrupted'],
  ['file-html', 'DownloadInterrupted'],
  ['file-empty', 'DownloadInterrupted'],
  ['file-truncated', 'DownloadInterrupted'],
  ['file-short', 'DownloadInterrupted'],
  ['file-long', 'DownloadInterrupted'],
  ['file-reset', 'DownloadInterrupted'],
  ['file-stalls', 'DownloadInterrupted'],
  // Twice as long as a wait for a byte may last.
  ['file-slow', null, { seconds: 10, count: 1 }],
  ['read-expiring', 'DownloadInterrupted', { seconds: 0 }],
  ['read-no-address', 'DownloadInterrupted'],
  // The address that the ledger kept from the first reading is used.
  ['read-other-task', null, { count: 1 }],
  ['read-404', null, { count: 1 }],
  ['read-backwards', null, { count: 1 }],
];

describe('a clip that is paid for', () => {
  let folder: string;
  let sandbox: Sandbox;
  let bench: ActivityBench;

  beforeAll(async () => {
    folder = await temporaryFolder();
    sandbox = await startSandbox({ folder, ...PLAIN });
  });

  beforeEach(async () => {
    bench = await startBench(sandbox.url, 'key', FILM);
  });

  afterEach(async () => {
    sandbox.faults.clear();
    await bench.close();
  });

  afterAll(() => sandbox.close());

  it.each(ON_THE_WAY)('arrives complete after %s, and is paid for once', async (kind, failure, changes = {}) => {
    const before = sandbox.tasks().length;
    const { polls, media } = bench.activities();
    const { take, taskId, acceptedAt } = await acceptedTake(bench);
    await until(() => sandbox.tasks().at(-1)?.state === 'COMPLETED');
    await bench.run(polls.awaitTask, { take, taskId, acceptedAt, lastRead: true });

    const injection = { kind, count: TIMES, ...changes };
    sandbox.faults.inject(injection);
    const struckBefore = sandbox.faults.struck()[kind] ?? 0;
    const input = { take, taskId, production: bench.production, output: 'video' as const };
    const { result, failures } = await bench.persist(media.storeOutput, input);

    const made = sandbox.tasks().at(-1)?.output?.file ?? '';
    const whole = await readFile(join(folder, 'files', taskId, made));
    expect((await readFile(bench.store.assets.shownPath(result.asset))).equals(whole)).toBe(true);
    expect((await bench.store.ledger.take(ADDRESS))?.output).toMatchObject(result);
    expect(new Set(failures)).toEqual(new Set(failure === null ? [] : [failure]));
    expect((sandbox.faults.struck()[kind] ?? 0) - struckBefore).toBe(injection.count);
    expect(sandbox.tasks()).toHaveLength(before + 1);
  });

  it('arrives complete if it is a picture, whose header is valid even when it is truncated', async () => {
    const [shot] = FILM.shots;
    const model = { id: 'pixel-image-1', output: 'image' as const };
    const film = { ...FILM, shots: [{ ...shot!, model, parameters: { prompt: 'storm' } }] };
    const pictures = await startBench(sandbox.url, 'key', film);
    const { polls, media } = pictures.activities();
    const { take, taskId, acceptedAt } = await acceptedTake(pictures);
    await until(() => sandbox.tasks().at(-1)?.state === 'COMPLETED');
    await pictures.run(polls.awaitTask, { take, taskId, acceptedAt, lastRead: true });

    sandbox.faults.inject({ kind: 'file-long', count: TIMES });
    const input = { take, taskId, production: pictures.production, output: 'image' as const };
    const { result, failures } = await pictures.persist(media.storeOutput, input);

    const made = sandbox.tasks().at(-1)?.output?.file ?? '';
    const whole = await readFile(join(folder, 'files', taskId, made));
    expect((await readFile(pictures.store.assets.shownPath(result.asset))).equals(whole)).toBe(true);
    expect(failures).toEqual(Array.from({ length: TIMES }, () => 'DownloadInterrupted'));
    await pictures.close();
  });

  it('is tested with every download fault', () => {
    const known = Object.entries(FAULTS).filter(([, { at }]) => at === 'file' || at === 'read');
    expect(ON_THE_WAY.map(([kind]) => kind).sort()).toEqual(known.map(([kind]) => kind).sort());
  });
});
