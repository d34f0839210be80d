import { join } from 'node:path';
import { createHolds, openStore } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';

describe('holds', () => {
  let open: () => Promise<ReturnType<typeof createHolds>>;
  beforeEach(async () => {
    const folder = join(await temporaryFolder(), 'store');
    open = async () => createHolds((await openStore(folder)).records);
  });

  it('survive a restart until they are released, and keep the first reason', async () => {
    const holds = await open();
    expect(await holds.held('film')).toBeUndefined();
    await holds.hold('film', 'it was interrupted');
    const held = await (await open()).held('film');
    expect(held).toEqual({ by: 'interruption', reason: 'it was interrupted', since: expect.any(String) });
    await holds.hold('film', 'another reason');
    expect(await holds.held('film')).toEqual(held);
    expect(await holds.held('another')).toBeUndefined();

    await holds.release('film');
    expect(await (await open()).held('film')).toBeUndefined();
    await holds.hold('film', 'again');
    expect(await holds.held('film')).toMatchObject({ reason: 'again' });
  });

  it('of a person survive the release of an interruption, and end when they are resumed', async () => {
    const holds = await open();
    await holds.hold('film', 'it was interrupted');
    expect(await holds.pause('film', 'the client is away')).toBe(true);
    const paused = { by: 'person', reason: 'the client is away', since: expect.any(String) as string };
    expect(await (await open()).held('film')).toEqual(paused);
    expect(await holds.pause('film', 'another reason')).toBe(false);
    await holds.release('film');
    expect(await holds.held('film')).toEqual(paused);

    await holds.hold('film', 'it was interrupted');
    expect(await holds.resume('film')).toBe(true);
    expect(await (await open()).held('film')).toBeUndefined();
    expect(await holds.resume('film')).toBe(false);
  });
});
