import { film, pictureShot } from '../support/rig';
import {
  REVIEWED,
  rig,
  requestFor,
  proposed,
  carryOut,
  statusWhen,
  inReview,
  direction,
  prompts,
  approveAll,
} from './concurrent-commands';

/** What several people, or several terminals, have a production do within the same moment. */
describe('a production that several commands direct', () => {
  it('refuses what was worked out before another change was carried out, and notes nothing of it', async () => {
    await rig.client.render(await requestFor(film('two', [pictureShot('a'), pictureShot('b')]), REVIEWED));
    await statusWhen('two', inReview);
    const [one, two] = [await proposed('two', 'a'), await proposed('two', 'b')];
    await carryOut(one);
    await expect(carryOut(two)).rejects.toThrow(/changed meanwhile/);
    expect(await direction('two', 'b')).toBeUndefined();
    await carryOut(await proposed('two', 'b'));
    expect(await prompts(await approveAll('two'))).toEqual(['better a', 'better b']);
  });

  it('compares another take with the one that is rejected, not with the one that the last render ended with', async () => {
    await rig.client.render(await requestFor(film('compared', [pictureShot('a')]), REVIEWED));
    await approveAll('compared');
    await carryOut(await proposed('compared', 'a', 'another a'));
    await statusWhen('compared', inReview);
    const { follows } = await proposed('compared', 'a', 'the best a');
    expect(follows.shots).toMatchObject([
      { take: 2, changes: [{ parameter: 'prompt', from: 'another a', to: 'the best a' }] },
    ]);
    await approveAll('compared');
  });
});
