import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BatchReport } from '../../client/batch';
import { textRows } from '../support/batches';
import { type Rig, rigEnv, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from './command';

describe('dailies batch', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 3 });
  });
  afterAll(() => rig.close());

  it('with --no-wait --json says that it runs; its cancellation completes the lists of results', async () => {
    const folder = await temporaryFolder();
    const rows = textRows(2).map((row) => JSON.stringify(row));
    writeFileSync(join(folder, 'signs.jsonl'), rows.join('\n'));
    const place = { folder, env: rigEnv(rig) };
    const { exitCode, stdout } = await dailies(
      ['batch', 'signs.jsonl', '--no-wait', '--json', '--parallel', '1'],
      place,
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout) as BatchReport).toMatchObject({ batch: 'signs', state: 'running', reason: null });

    const cancelled = await dailies(['batch', 'cancel', 'signs'], place);
    expect(cancelled.exitCode).toBe(0);
    // The lists are complete: each row once, in the order of the file, also if it never began.
    const lines = readFileSync(join(folder, 'out/signs/results.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { key: string }).key)).toEqual(['r1', 'r2']);
  });

  it('with --dry-run names the store, and warns of a new ledger', async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'signs.jsonl'), JSON.stringify(textRows(1)[0]));
    const env = { DAILIES_GATEWAY_URL: 'http://127.0.0.1:9', DAILIES_GATEWAY_KEY: 'a key for the test' };
    const { exitCode, stderr } = await dailies(['batch', 'signs.jsonl', '--dry-run'], { folder, env });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^The ledger in .* is new: .* would be paid for again\.$/m);
  });
});
