import { getEventListeners, getMaxListeners } from 'node:events';
import { withOwnSignal } from '../../../client/temporal/own-signal';

describe('a call with a signal of its own', () => {
  const never = (own: AbortController): Promise<string> =>
    new Promise((resolve) => {
      own.signal.addEventListener('abort', () => {
        resolve(String(own.signal.reason));
      });
    });

  it('ends when the given signal aborts, at once if it has', async () => {
    const given = new AbortController();
    const called = withOwnSignal(given.signal, never);
    given.abort('enough');
    expect(await called).toBe('enough');
    const before = withOwnSignal(given.signal, (own) => Promise.resolve(own.signal.aborted));
    expect(await before).toBe(true);
  });

  it('leaves no listener on the given signal, whether it succeeds or fails', async () => {
    const { signal } = new AbortController();
    await withOwnSignal(signal, () => Promise.resolve(getEventListeners(signal, 'abort')));
    await expect(withOwnSignal(signal, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('lets a call add any number of listeners without a warning of Node', async () => {
    expect(
      await withOwnSignal(new AbortController().signal, (own) => Promise.resolve(getMaxListeners(own.signal))),
    ).toBe(0);
  });
});
