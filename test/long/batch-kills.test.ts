import { killsInABatch } from '../crash/batch-kills';

describe('a batch of 500 rows', () => {
  it('whose workers are all killed twice ends every row once, and is charged for each once', () =>
    killsInABatch(500, 40));
});
