import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { within } from '../../../scripts/process/surroundings';
import { allWritten, printJson } from '../../../scripts/process/streams';

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

describe('a result in JSON', () => {
  it('has the same value without a character that controls a terminal or reorders its text', async () => {
    let text = '';
    const stdout = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        text += chunk.toString();
        done();
      },
    });
    const value = { title: 'a\u009b2J\u007f\u202eb\u2028\u061c\n', words: ['\u0007 ü 字'] };
    const own = { cwd: '/', env: {}, stdin: Readable.from([]), stdout, stderr: stdout, signals: new EventEmitter() };
    await within(own, () => Promise.resolve(printJson(value)));
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toContain('\\u009b2J\\u007f\\u202eb\\u2028\\u061c\\n');
    expect(text).toContain('\\u0007 ü 字');
  });
});
