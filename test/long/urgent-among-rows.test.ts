import { urgentAmongRows } from '../workflows/urgent-among-rows';

describe('a batch of 500 rows of an account with limits', () => {
  it('lets an urgent production go before it', () => urgentAmongRows(500));
});
