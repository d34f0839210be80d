import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withOwnSignal } from '../../../client/temporal/own-signal';

const BUILT = join(__dirname, '..', '..', '..', 'dist', 'client', 'temporal', 'own-signal.js');

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

  it('lets a call add many listeners without a warning of Node', async () => {
    // Node gives warnings to no code in Jest's sandbox.
    const program = `require(${JSON.stringify(BUILT)}).withOwnSignal(new AbortController().signal, async ({ signal }) => {
      for (let calls = 0; calls < 20; calls += 1) signal.addEventListener('abort', () => undefined);
    })`;
    expect((await promisify(execFile)(process.execPath, ['-e', program])).stderr).toBe('');
  });
});
