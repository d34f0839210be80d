import { createLimiter } from '../../media/limiter';

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('runs as many jobs at once as allowed, first come, first served', async () => {
  const limit = createLimiter(2);
  const gates = [deferred(), deferred(), deferred(), deferred()];
  const started: number[] = [];
  const jobs = gates.map((gate, index) =>
    limit(() => {
      started.push(index);
      return gate.promise;
    }),
  );
  await settle();
  expect(started).toEqual([0, 1]);
  gates[1]!.resolve();
  await settle();
  expect(started).toEqual([0, 1, 2]);
  gates.forEach((gate) => {
    gate.resolve();
  });
  await Promise.all(jobs);
  expect(started).toEqual([0, 1, 2, 3]);
});

it('continues after a failed job', async () => {
  const limit = createLimiter(1);
  await expect(limit(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(limit(() => Promise.resolve('next'))).resolves.toBe('next');
});

it('removes an aborted job from the queue without running it', async () => {
  const limit = createLimiter(1);
  const first = deferred();
  const running = limit(() => first.promise);
  const abort = new AbortController();
  const second = jest.fn(() => Promise.resolve());
  const waiting = limit(second, abort.signal);
  const third = limit(() => Promise.resolve('third'));

  abort.abort(new Error('called off'));
  await expect(waiting).rejects.toThrow('called off');
  first.resolve();
  await running;
  await expect(third).resolves.toBe('third');
  expect(second).not.toHaveBeenCalled();
});
