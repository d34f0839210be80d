import { type Client } from '@temporalio/client';
import { refuseUnknownTasks } from '../../client/books/unknown-tasks';
import { AT, FROZEN } from '../support/ledger-fixtures';
import { newStore } from './store-with-takes';

/** Temporal as it is when another command begins a render right after the last one was described. */
const TEMPORAL = {
  workflow: {
    getHandle: (_workflowId: string, runId?: string) => ({
      describe: () =>
        Promise.resolve({
          ...{ runId: 'run-a', status: { name: 'COMPLETED' }, memo: { renderId: 'render-1' } },
          ...{ startTime: new Date(AT), closeTime: new Date(AT) },
        }),
      result: () => (runId === 'run-a' ? Promise.resolve({ shots: [] }) : Promise.reject(new Error('waits for run B'))),
    }),
  },
} as unknown as Client;

describe('the check for unknown tasks', () => {
  it('reads the result of the run that it has seen end, not of one that began meanwhile', async () => {
    const store = await newStore();
    await store.productions.begin('film', { renderId: 'render-1', production: FROZEN, account: 'sandbox', at: AT });
    await expect(refuseUnknownTasks({ temporal: TEMPORAL, store, account: 'sandbox' }, 'film')).resolves.toBe(
      undefined,
    );
  });
});
