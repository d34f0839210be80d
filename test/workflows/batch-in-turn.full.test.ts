import { urgentAmongRows } from './urgent-among-rows';

describe('a batch of an account with limits', () => {
  it('lets an urgent production go before its 30 rows', () => urgentAmongRows(30));
});
