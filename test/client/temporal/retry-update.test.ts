import { ServiceError } from '@temporalio/client';
import { Metadata, status } from '@grpc/grpc-js';
import { retryUpdate } from '../../../client/temporal/retry-update';

/** How Temporal refuses an update whose workflow is continuing as new. */
function refusal(code: status): ServiceError {
  const cause = Object.assign(new Error('refused'), { code, details: 'refused', metadata: new Metadata() });
  return new ServiceError('the update was refused', { cause });
}

describe('an update that meets the end of a history', () => {
  it('is sent again until the next history accepts it', async () => {
    const answers = [refusal(status.FAILED_PRECONDITION), refusal(status.FAILED_PRECONDITION)];
    const taken = await retryUpdate(() => {
      const refused = answers.shift();
      return refused === undefined ? Promise.resolve('taken') : Promise.reject(refused);
    });
    expect([taken, answers]).toEqual(['taken', []]);
  });

  it.each([status.INVALID_ARGUMENT, status.NOT_FOUND, status.UNAVAILABLE])(
    'is sent once if it is refused with code %s',
    async (code) => {
      let sent = 0;
      const send = (): Promise<never> => {
        sent += 1;
        return Promise.reject(refusal(code));
      };
      await expect(retryUpdate(send)).rejects.toBeInstanceOf(ServiceError);
      expect(sent).toBe(1);
    },
  );
});
