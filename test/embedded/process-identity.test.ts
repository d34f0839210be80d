import fs from 'node:fs';
import { identify, isAlive, isKnownAlive } from '../../workers/embedded/process-identity';

describe('the look-up of a process', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const failWith = (code: string) => {
    const error = Object.assign(new Error(code), { code });
    const { readFileSync } = fs;
    jest.spyOn(fs, 'readFileSync').mockImplementation((path, options) => {
      if (String(path).startsWith('/proc/')) throw error;
      return readFileSync(path, options);
    });
  };

  it.each(['EMFILE', 'EACCES', 'EIO'])('does not take a process for ended after %s', (code) => {
    const self = identify(process.pid)!;
    failWith(code);
    expect(isAlive(self)).toBe(true);
    // A process that may be another one with the same pid is not killed.
    expect(isKnownAlive(self)).toBe(false);
    expect(() => identify(process.pid)).toThrow(code);
  });

  it.each(['ENOENT', 'ESRCH'])('takes a process for ended after %s', (code) => {
    const self = identify(process.pid)!;
    failWith(code);
    expect(isAlive(self)).toBe(false);
    expect(identify(process.pid)).toBeUndefined();
  });
});
