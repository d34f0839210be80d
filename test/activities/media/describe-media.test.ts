import { join } from 'node:path';
import { describeMedia } from '../../../activities/media/describe-media';
import { makeClip } from '../../media/fixtures';
import { temporaryFolder } from '../../support/temporary-folder';

describe('a file of another kind than expected', () => {
  it('leads to advice about the declared output only if a person declared it', async () => {
    const clip = await makeClip(join(await temporaryFolder(), 'clip.mp4'));
    await expect(describeMedia('image', true)(clip)).rejects.toMatchObject({
      type: 'OutputOfOtherKind',
      message: expect.stringContaining('--output video'),
    });
    await expect(describeMedia('image')(clip)).rejects.toMatchObject({
      type: 'OutputUnusable',
      message: 'the output is video, and image was expected',
    });
  });
});
