import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { untilNoted } from '../../../activities/pay/until-noted';

describe('recording an outcome', () => {
  it('is tried again after a failure, whose reason is logged', async () => {
    const entries: LogEntry[] = [];
    const logger = new DefaultLogger('ERROR', (entry) => void entries.push(entry));
    const step = jest.fn().mockRejectedValueOnce(new Error('ENOSPC: no space left')).mockResolvedValue('noted');
    const environment = new MockActivityEnvironment({}, { logger });
    expect(await environment.run(() => untilNoted('the acceptance of task-1', step))).toBe('noted');
    expect(entries).toMatchObject([
      {
        message: 'the ledger cannot record the acceptance of task-1',
        meta: { reason: 'Error: ENOSPC: no space left' },
      },
    ]);
  });
});
