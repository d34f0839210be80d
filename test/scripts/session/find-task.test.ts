import { Refused } from '../../../client';
import { taskFinder } from '../../../scripts/session/find-task';

describe('a look for a task at the gateway', () => {
  it('is refused if neither a gateway nor an embedded set is known', async () => {
    const find = taskFinder({ gateway: null }, null);
    await expect(find('task-1', { id: 'beta-2.5' })).rejects.toThrow(Refused);
  });
});
