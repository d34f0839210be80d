import { nearestName } from '../../client/wording/nearest-name';

describe('the nearest name', () => {
  it.each([
    ['promt', 'prompt'],
    ['prmopt', 'prompt'],
    ['aspect_ratio', 'aspectRatio'],
    ['RESOLUTION', 'resolution'],
    ['resolutoin', 'resolution'],
    ['aspect', 'aspectRatio'],
  ])('to %s is %s', (written, meant) => {
    expect(nearestName(written, ['prompt', 'aspectRatio', 'resolution', 'seed'])).toBe(meant);
  });

  it.each(['zoom', 'x', '', '🎬'])('to %s does not exist', (written) => {
    expect(nearestName(written, ['prompt', 'aspectRatio', 'resolution', 'seed'])).toBeUndefined();
  });

  it('is the nearest of several', () => {
    expect(nearestName('shot-11', ['shot-1', 'shot-111', 'shot-12', 'shot-11'])).toBe('shot-11');
  });
});
