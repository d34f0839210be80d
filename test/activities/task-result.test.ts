import { mainFile } from '../../activities/task-result';
import { type ResultFile } from '../../gateway';

const file = (url: string, kind: Partial<ResultFile> = {}): ResultFile => ({
  ...{ url, isImage: false, isSound: false, isBeside: false },
  ...kind,
});

describe('the file of a result that is collected', () => {
  const sound = file('music.mp3', { isSound: true });
  const cover = file('cover.png', { isImage: true, isBeside: true });
  const clip = file('clip.mp4');

  it('is of the kind that was asked for, in whatever order the gateway lists the files', () => {
    expect(mainFile([sound, cover, clip], 'video')).toBe(clip);
    expect(mainFile([clip, sound, cover], 'image')).toBe(cover);
    expect(mainFile([cover, sound], 'audio')).toBe(sound);
  });

  it('is the first one if none is', () => {
    expect(mainFile([sound, cover], 'video')).toBe(sound);
    expect(mainFile([], 'video')).toBeUndefined();
  });
});
