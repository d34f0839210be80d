import { Writable } from 'node:stream';
import { allWritten } from '../../../scripts/process/streams';

describe('the output of a command that ends', () => {
  it('is waited for while a slow reader takes it', async () => {
    const taken: string[] = [];
    const slow = new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        setTimeout(() => {
          taken.push(text);
          done();
        }, 5);
      },
    });
    for (const text of ['one', 'two', 'three']) slow.write(text);
    await allWritten({ stdout: slow, stderr: slow });
    expect(taken.filter((text) => text !== '')).toEqual(['one', 'two', 'three']);
  });

  it('is not waited for if its reader has closed the pipe', async () => {
    const closed = new Writable({
      write(_text, _encoding, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    closed.on('error', () => undefined);
    closed.write('one');
    await expect(allWritten({ stdout: closed, stderr: closed })).resolves.toBeUndefined();
  });
});
