import { clipSize } from '../../sandbox/rendering/clip-size';

describe('the size of a clip', () => {
  it.each([
    ['16:9', 480, 854, 480],
    ['16:9', 1080, 1920, 1080],
    ['9:16', 480, 480, 854],
    ['4:3', 720, 960, 720],
    ['3:4', 480, 480, 640],
    ['21:9', 480, 1120, 480],
    ['1:1', 1080, 1080, 1080],
    ['adaptive', 480, 854, 480],
  ] as const)('of %s with a short side of %i is %i × %i', (aspectRatio, shortSide, width, height) => {
    expect(clipSize({ aspectRatio, shortSide }, undefined)).toEqual({ width, height });
  });

  it.each([
    [{ width: 400, height: 500 }, 480, 600],
    // The rounded sides of a clip of 16:9 give no other ratio.
    [{ width: 854, height: 480 }, 854, 480],
    [{ width: 4000, height: 500 }, 1440, 480],
    [{ width: 500, height: 4000 }, 480, 1440],
    [{ width: 0, height: 0 }, 854, 480],
  ])('of adaptive after a start frame of %j is %i × %i', (startFrame, width, height) => {
    expect(clipSize({ aspectRatio: 'adaptive', shortSide: 480 }, startFrame)).toEqual({ width, height });
    expect(clipSize({ aspectRatio: '1:1', shortSide: 480 }, startFrame)).toEqual({ width: 480, height: 480 });
  });
});
