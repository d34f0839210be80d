import { WorkflowNotFoundError } from '@temporalio/client';
import { cancel, ended } from '../../../client/dailies/running-production';
import { type RenderContext } from '../../../client/renders/context';
import { type ProductionStatus } from '../../../contracts/status';

const LOST = new Error('the server restarts');

/** A production of which Temporal and the store say this. */
function contextOf(handle: object, productions: object = {}): RenderContext {
  const temporal = {
    withAbortSignal: (_signal: AbortSignal, call: () => unknown) => call(),
    workflow: { getHandle: () => handle },
  };
  return { temporal, store: { id: 'store', productions } } as unknown as RenderContext;
}

describe('the end of a production', () => {
  const endedIf = (renderId: string): Promise<ProductionStatus> => {
    const handle = { result: () => Promise.reject(LOST), describe: () => Promise.reject(notFound()) };
    const last = { state: 'completed', renderId: 'render-1' };
    const productions = { archived: () => Promise.resolve(last), begun: () => Promise.resolve({ renderId }) };
    return ended(contextOf(handle, productions), 'film');
  };

  it('is that of the archive if Temporal does not have it', async () => {
    expect(await endedIf('render-1')).toMatchObject({ state: 'completed' });
  });

  it('is not that of an earlier render', async () => {
    await expect(endedIf('render-2')).rejects.toBe(LOST);
  });
});

describe('a cancellation', () => {
  it('is refused if the production ends just before it', async () => {
    const handle = {
      describe: () => Promise.resolve({ status: { name: 'RUNNING' } }),
      cancel: () => Promise.reject(notFound()),
    };
    await expect(cancel(contextOf(handle), 'film')).rejects.toThrow('production "film" is not running');
  });
});

function notFound(): WorkflowNotFoundError {
  return new WorkflowNotFoundError('workflow not found', 'film', undefined);
}
