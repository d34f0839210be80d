import { killsInABatch } from './batch-kills';

jest.setTimeout(600_000);

describe('a batch of 24 rows', () => {
  it('whose workers are all killed twice ends every row once, and is charged for each once', () =>
    killsInABatch(24, 8));
});
