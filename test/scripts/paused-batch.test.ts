import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type Store } from '../../store';
import { filesIn } from '../support/files-in';
import { AT } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from './command';

const FILM = `
shots: [{ id: dawn, model: beta-video, prompt: The sun comes up. }]
`;

/** What `pause` and `resume` say about a batch. They start nothing. `paused` and `open` have not ended. */
describe('a paused batch', () => {
  let folder: string;
  let store: Store;
  beforeAll(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
    store = await openStore(join(folder, 'store'));
    const [batches, holds] = [store.batches, store.holds];
    for (const batch of ['ended', 'ended-paused', 'open', 'paused', 'held', 'of-a-schedule']) {
      const index = await store.putJson({ batch, title: batch, content: batch, rows: 0, open: 0, pages: [] });
      const rules = { parallel: 1, stopAfterFailures: null };
      await batches.begin(batch, { run: 1, renderId: 'render-1', account: 'sandbox', index, at: AT, ...rules });
      if (batch !== 'of-a-schedule') {
        await batches.noteSource(batch, { path: join(folder, 'my rows.csv'), account: 'sandbox', at: AT });
      }
      if (!batch.startsWith('ended')) continue;
      const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
      const rest = { rows: 0, open: 0, counts, underWay: [], startedAt: AT, endedAt: AT };
      await batches.end({ batch, run: 1, state: 'cancelled', reason: null, ...rest });
    }
    for (const id of ['paused', 'ended-paused']) await holds.pause(id, 'by hand');
    for (const id of ['held', 'of-a-schedule']) await holds.hold(id, 'it was interrupted');
  });

  it.each<[string, readonly string[], string | RegExp]>([
    ['pause of an unknown one', ['pause', 'nowhere'], 'no production or batch "nowhere" is known here'],
    [
      'pause of one that has ended',
      ['pause', 'ended'],
      'batch "ended" has ended (cancelled); there is nothing to pause',
    ],
    ['pause of a paused one', ['pause', 'paused'], 'batch "paused" is paused already; `dailies resume paused`'],
    ['resume of an unknown one', ['resume', 'nowhere'], 'no production or batch "nowhere" is known here'],
    ['resume of one that has ended', ['resume', 'ended'], 'batch "ended" has ended (cancelled); there is nothing'],
    [
      'resume of one that ended while it was paused',
      ['resume', 'ended-paused'],
      'batch "ended-paused" has ended (cancelled); there is nothing to resume',
    ],
    ['resume of one that nobody paused', ['resume', 'open'], 'batch "open" is not paused\n'],
    [
      'resume of one that was interrupted',
      ['resume', 'held'],
      /batch "held" is not paused: it was interrupted; `dailies batch '.*my rows\.csv' --id held` goes on with it/,
    ],
    [
      'resume of one of a schedule that was interrupted',
      ['resume', 'of-a-schedule'],
      'it was interrupted; `dailies batch retry-failed of-a-schedule --missing` goes on with it',
    ],
    ['a worker without a gateway, which releases no hold', ['worker'], 'a worker needs a gateway'],
    ['render of a production of its name', ['render', 'film.yaml', '--id', 'paused'], '"paused" is a batch; give'],
  ])('refuses %s, and changes nothing', async (_what, args, words) => {
    const before = filesIn(join(folder, 'store'));
    const { exitCode, stdout, stderr } = await dailies(args, { folder });
    expect(stderr).toEqual(typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(filesIn(join(folder, 'store'))).toEqual(before);
  });

  it('names the command that goes on with it, if it was interrupted', async () => {
    const { exitCode, stdout } = await dailies(['batch', 'status', 'open'], { folder });
    const goesOn = /running \(interrupted; `dailies batch '.*my rows\.csv' --id open` goes on where it stopped\)/;
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(goesOn) });
  });

  it('says since when and why it is paused', async () => {
    const { stdout, stderr } = await dailies(['batch', 'status', 'paused'], { folder });
    expect(stdout).toContain('paused: running');
    expect(stderr).toMatch(
      /^paused is paused since .* \(by hand\): nothing new is bought; `dailies resume paused` goes on with it$/m,
    );
    const { stdout: json } = await dailies(['batch', 'status', 'paused', '--json'], { folder });
    const paused = { reason: 'by hand', since: expect.any(String), command: 'dailies resume paused' };
    expect(JSON.parse(json)).toMatchObject({ state: 'running', paused });
  });

  it('is not shown as paused once it has ended', async () => {
    const { stdout, stderr } = await dailies(['batch', 'status', 'ended-paused', '--json'], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ state: 'cancelled', paused: null });
    expect(stderr).not.toContain('paused since');
  });

  it('is exported as its results', async () => {
    const { exitCode, stdout } = await dailies(['export', 'ended'], { folder });
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/ended\/results\.jsonl\n$/),
    });
  });

  it('is resumed, and names its own command', async () => {
    expect(await dailies(['pause', 'open', '--reason', 'the client is away'], { folder })).toMatchObject({
      exitCode: 0,
    });
    const { holds } = store;
    expect(await holds.inForce('open')).toMatchObject({ by: 'person', reason: 'the client is away' });
    const { exitCode, stderr } = await dailies(['resume', 'open'], { folder });
    expect(stderr).toContain(
      `Nothing runs now; \`dailies batch '${join(folder, 'my rows.csv')}' --id open\` goes on with it`,
    );
    expect(exitCode).toBe(0);
    expect(await holds.inForce('open')).toBeUndefined();
  });
});
