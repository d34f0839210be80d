import { findUnused } from '../../../client/prune';
import { film, pictureShot, type Rig, startRig } from '../../support/rig';
import { template } from '../../support/scheduled';
import { recordsOf } from '../../support/store-records';

describe('a file that a schedule names', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(() => rig.close());

  it('is spared by a prune as long as the schedule exists, since its next run needs it', async () => {
    const { client, store } = rig;
    const unused = async () =>
      (await findUnused(store, 'sandbox')).productions.flatMap(({ takes }) =>
        takes.map(({ shot, take }) => [shot, take]),
      );
    const first = await rig.render(film('source', [pictureShot('a')]), { assemble: false });
    await rig.render(film('source', [pictureShot('a', { parameters: { prompt: 'another idea' } })]), {
      assemble: false,
    });
    expect(await unused()).toEqual([['a', 1]]);
    const picture = first.shots[0]?.takes[0]?.asset;
    if (picture == null) throw new Error('there is no picture');
    const shot = `{ id: a, model: beta-video, duration: 4, prompt: x, startFrame: "${store.assets.shownPath(picture)}" }`;
    await client.schedules.create('night', { every: '30d', template: await template(`{ shots: [${shot}] }`) });
    expect(await unused()).toEqual([]);
    // After an interrupted change, either version may be in force.
    const last = await recordsOf(store).read('schedules/night/version-1');
    await client.schedules.update('night', { template: await template() });
    expect(await unused()).toEqual([['a', 1]]);
    await recordsOf(store).create('schedules/night/version-3', last);
    expect(await unused()).toEqual([]);
    await client.schedules.delete('night');
    expect(await unused()).toEqual([['a', 1]]);
  });
});
