import { orAborted } from '../../gateway/deadline';

describe('a wait that a signal ends', () => {
  const never = new Promise<never>(() => undefined);

  it('ends when the signal fires, and also if it has fired before', async () => {
    const controller = new AbortController();
    const waiting = orAborted(never, controller.signal);
    controller.abort(new Error('called off'));
    await expect(waiting).rejects.toThrow('called off');
    await expect(orAborted(never, controller.signal)).rejects.toThrow('called off');
  });

  it('gives the result otherwise', async () => {
    await expect(orAborted(Promise.resolve(1), new AbortController().signal)).resolves.toBe(1);
    await expect(orAborted(Promise.resolve(2), undefined)).resolves.toBe(2);
  });
});
