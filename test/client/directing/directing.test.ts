import { film, pictureShot } from '../../support/rig';
import {
  approveAll,
  carryOut,
  direction,
  inReview,
  prompts,
  proposed,
  requestFor,
  REVIEWED,
  rig,
  statusWhen,
} from '../concurrent-commands';

/** Commands of several people or terminals to one production at the same moment. */
describe('a production that several commands direct', () => {
  it('refuses a proposal that is older than another change, and records nothing of it', async () => {
    await rig.client.render(await requestFor(film('two', [pictureShot('a'), pictureShot('b')]), REVIEWED));
    await statusWhen('two', inReview);
    const [one, two] = [await proposed('two', 'a'), await proposed('two', 'b')];
    await carryOut(one);
    await expect(carryOut(two)).rejects.toThrow(/changed meanwhile/);
    expect(await direction('two', 'b')).toBeUndefined();
    await carryOut(await proposed('two', 'b'));
    expect(await prompts(await approveAll('two'))).toEqual(['better a', 'better b']);
  });
});
