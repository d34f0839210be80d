import { writeFileSync } from 'node:fs';
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

  it('with --no-wait --json says that the batch runs, since the workers of the account go on with it', async () => {
    const folder = await temporaryFolder();
    const rows = textRows(2).map((row) => JSON.stringify(row));
    writeFileSync(join(folder, 'signs.jsonl'), rows.join('\n'));
    const place = { folder, env: rigEnv(rig) };
    const { exitCode, stdout } = await dailies(['batch', 'signs.jsonl', '--no-wait', '--json'], place);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout) as BatchReport).toMatchObject({ batch: 'signs', state: 'running', reason: null });
    await rig.client.batches.cancel('signs');
  });
});
