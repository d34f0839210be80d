import { ServiceError } from '@temporalio/client';
import { ifTemporalAnswers } from '../../studio/views/if-temporal-answers';
import { type Studio } from '../../studio/server/studio';

describe('a page that asks Temporal', () => {
  const studio = {
    dailies: { temporal: { withDeadline: (_deadline: number, call: () => Promise<unknown>) => call() } },
  } as unknown as Studio;
  const grpcError = (code: number): Error => Object.assign(new Error('from gRPC'), { code, details: '' });

  it('has its answer', async () => {
    expect(await ifTemporalAnswers(studio, () => Promise.resolve('here'))).toBe('here');
  });

  it.each([1, 4, 8, 10, 14])(
    'goes by the store if a server that is down or overloaded fails with code %i',
    async (code) => {
      const wrapped = new ServiceError('Failed to describe schedule', { cause: grpcError(code) });
      for (const error of [wrapped, grpcError(code)]) {
        expect(await ifTemporalAnswers(studio, () => Promise.reject(error))).toBeUndefined();
      }
    },
  );

  it.each([
    ['a wrong argument', new ServiceError('Failed', { cause: grpcError(3) })],
    ['an internal error', grpcError(13)],
    ['an error of our own', new TypeError('no function')],
  ])('shows %s', async (_name, error) => {
    await expect(ifTemporalAnswers(studio, () => Promise.reject(error))).rejects.toBe(error);
  });
});
