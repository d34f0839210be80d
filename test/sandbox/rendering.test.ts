import { PAINTED } from '../support/pictures';
import { dataUri, savedAs, similarity } from './media-files';
import { framesOf, SAME_PICTURE } from './painted-clips';
import { CLIP, download, finish, sandbox, submit } from './rig';

describe('given frames', () => {
  it('carry a chain: a clip that starts on the last frame of another shows it first', async () => {
    const server = await sandbox(PAINTED);
    const one = await finish(server, await submit(server, 'beta-2.5', { ...CLIP, returnLastFrame: true }));
    const frame = await download((one.result!['lastFrame'] as { url: string }).url);
    const startFrame = dataUri('image/png', frame);
    const next = await finish(server, await submit(server, 'beta-2.5', { ...CLIP, prompt: 'a storm', startFrame }));
    const ends = await Promise.all(
      [one, next].map(async (task) => await framesOf(await savedAs('clip.mp4', await download(task.result!.url!)))),
    );
    expect(await similarity(await savedAs('handed-over.png', frame), ends[0]!.last)).toBe(1);
    expect(await similarity(ends[1]!.first, ends[0]!.last)).toBeGreaterThanOrEqual(SAME_PICTURE);
  });

  it.each([
    ['nobody answers', 'http://127.0.0.1:1/none'],
    ['a private network lies', 'http://10.0.0.1/frame.png'],
  ])('make the task fail where %s at their address', async (_, startFrame) => {
    const server = await sandbox(PAINTED);
    const task = await finish(server, await submit(server, 'beta-2.5', { ...CLIP, startFrame }));
    expect(task).toMatchObject({ status: 'FAILED', error: { code: 'invalid_file' }, usage: { credits: 20 } });
  });
});
