import { fileSystemOf, machineInWords } from '../../bench/machine';

const MOUNTS = [
  '21 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '22 21 0:20 / /tmp rw,nosuid shared:2 - tmpfs tmpfs rw',
  '23 22 0:21 / /tmp/work rw - xfs /dev/vdb rw',
  '',
].join('\n');

const MACHINE = {
  node: 'v20.20.2',
  cores: 2,
  processor: 'AMD EPYC',
  memoryGigabytes: 7.8,
  kernel: 'Linux 6.1',
  fileSystem: 'ext4',
  ffmpeg: '7.0',
  temporal: '1.5.1 (Server 1.29.1)',
};

describe('machine', () => {
  it('finds the file system by the nearest mount above a folder', () => {
    expect(fileSystemOf('/tmp/work/clips', MOUNTS)).toBe('xfs');
    expect(fileSystemOf('/tmp/workshop', MOUNTS)).toBe('tmpfs');
    expect(fileSystemOf('/tmp', MOUNTS)).toBe('tmpfs');
    expect(fileSystemOf('/home', MOUNTS)).toBe('ext4');
    expect(fileSystemOf('/home', '')).toBeNull();
  });

  it('says if flushing costs nothing', () => {
    expect(machineInWords(MACHINE)).toEqual([expect.stringContaining('temporary files on ext4')]);
    expect(machineInWords({ ...MACHINE, fileSystem: 'tmpfs' })).toEqual([
      expect.stringContaining('temporary files on tmpfs'),
      expect.stringMatching(/flushing takes no time/),
    ]);
  });

  it('says what is missing', () => {
    expect(machineInWords({ ...MACHINE, ffmpeg: null, temporal: null })[0]).toMatch(/no ffmpeg, no Temporal CLI/);
  });
});
