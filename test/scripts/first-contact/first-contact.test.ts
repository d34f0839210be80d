import { firstContact } from '../../../scripts/first-contact/first-contact';
import { type FirstTask } from '../../../scripts/first-contact/first-task';
import { type GatewayClient } from '../../../gateway';
import { type TakeOutcome } from '../../../contracts/workflows';
import { AT, intent, sent, settled } from '../../support/ledger-fixtures';

it('reports a task that was paid for, although the watch of the task has failed', async () => {
  const take = {
    ...{ take: 1, intent: intent(), decisions: [], settled: settled('completed') },
    sendings: [{ n: 1, sent: sent(), accepted: { taskId: 'task-1', at: AT } }],
  };
  const read = ({ taskId }: { readonly taskId: string }) =>
    taskId === 'task-1'
      ? Promise.reject(new Error('the answer was cut off'))
      : Promise.resolve({ state: 'pending', status: 'WAITING' });
  const contact = await firstContact({
    gateway: { read } as unknown as GatewayClient,
    // Nothing listens there.
    gatewayAt: { baseUrl: 'http://127.0.0.1:9' },
    task: { shot: { id: 'doctor' }, picture: null, newestTake: () => Promise.resolve(take) } as unknown as FirstTask,
    run: () => Promise.resolve({ state: 'completed', reason: null } as unknown as TakeOutcome),
    readEveryMs: 1,
  });
  expect(contact).toMatchObject({ state: 'completed', taskId: 'task-1', credits: settled('completed').credits });
  expect(contact.refusals).toContainEqual({ asked: 'the watch of the task', answer: 'the answer was cut off' });
});
