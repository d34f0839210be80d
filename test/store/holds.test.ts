import { join } from 'node:path';
import { createHolds, openStore } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';

describe('holds', () => {
  it('last over a restart until they are released, and keep the first reason', async () => {
    const folder = join(await temporaryFolder(), 'store');
    const open = async () => createHolds((await openStore(folder)).records);
    const holds = await open();
    expect(await holds.held('film')).toBeUndefined();
    await holds.hold('film', 'it was interrupted');
    const held = await (await open()).held('film');
    expect(held).toEqual({ reason: 'it was interrupted', since: expect.any(String) });
    await holds.hold('film', 'another reason');
    expect(await holds.held('film')).toEqual(held);
    expect(await holds.held('another')).toBeUndefined();

    await holds.release('film');
    expect(await (await open()).held('film')).toBeUndefined();
    await holds.hold('film', 'again');
    expect(await holds.held('film')).toMatchObject({ reason: 'again' });
  });
});
