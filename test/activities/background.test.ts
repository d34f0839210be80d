import { setTimeout as sleep } from 'node:timers/promises';
import { createBackground } from '../../activities/background';

describe('work in the background', () => {
  it('is done piece by piece, even after one that fails', async () => {
    const background = createBackground();
    const done: string[] = [];
    const piece = (name: string) => async () => {
      done.push(`${name} begins`);
      await sleep(5);
      done.push(`${name} ends`);
      if (name === 'a') throw new Error('no');
    };
    for (const name of ['a', 'b']) background.start(piece(name));
    let isLast: () => void = () => undefined;
    const last = new Promise<void>((resolve) => (isLast = resolve));
    background.start(() => Promise.resolve(isLast()));
    await last;
    expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    await background.stop();
  });

  it('aborts the running piece when the worker leaves, waits for it, and starts no other', async () => {
    const background = createBackground();
    const begun: string[] = [];
    let hasEnded = false;
    background.start(async (signal) => {
      begun.push('first');
      await sleep(60_000, undefined, { signal }).catch(() => undefined);
      await sleep(5);
      hasEnded = true;
    });
    background.start(() => Promise.resolve(void begun.push('second')));
    await sleep(1);
    await background.stop();
    background.start(() => Promise.resolve(void begun.push('third')));
    await background.stop();
    expect([begun, hasEnded]).toEqual([['first'], true]);
  });

  it('drops work if too much waits already, and says so', async () => {
    const background = createBackground();
    let done = 0;
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    background.start(() => held);
    let queued = 0;
    for (let piece = 0; piece < 200; piece += 1) {
      if (background.start(() => Promise.resolve(void (done += 1)))) queued += 1;
    }
    letGo();
    await sleep(20);
    expect(done).toBe(queued);
    expect(done).toBeGreaterThan(10);
    expect(done).toBeLessThan(100);
    await background.stop();
  });
});
