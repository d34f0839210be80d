import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type Holds, openStore } from '../../../store';
import { temporaryFolder } from '../../support/temporary-folder';

describe('holds', () => {
  let folder: string;
  let open: () => Promise<Holds>;
  beforeEach(async () => {
    folder = join(await temporaryFolder(), 'store');
    open = async () => (await openStore(folder)).holds;
  });

  it('survive a restart until they are released, and keep the first reason', async () => {
    const holds = await open();
    expect(await holds.inForce('film')).toBeUndefined();
    await holds.hold('film', 'it was interrupted');
    const held = await (await open()).inForce('film');
    expect(held).toEqual({ by: 'interruption', reason: 'it was interrupted', since: expect.any(String) });
    await holds.hold('film', 'another reason');
    expect(await holds.inForce('film')).toEqual(held);
    expect(await holds.inForce('another')).toBeUndefined();

    await holds.release('film');
    expect(await (await open()).inForce('film')).toBeUndefined();
    await holds.hold('film', 'again');
    expect(await holds.inForce('film')).toMatchObject({ reason: 'again' });
  });

  it('count as in force if their record is damaged, until they are ended', async () => {
    const holds = await open();
    await holds.pause('film', 'by hand');
    await truncate(join(folder, 'productions/film/pause.json'), 3);
    expect(await holds.inForce('film')).toMatchObject({ by: 'person', reason: expect.stringContaining('is damaged') });
    expect(await holds.pause('film', 'again')).toBe(false);
    expect(await holds.resume('film')).toBe(true);
    expect(await holds.inForce('film')).toBeUndefined();
  });

  it('of a person survive the release of an interruption, and end when they are resumed', async () => {
    const holds = await open();
    await holds.hold('film', 'it was interrupted');
    expect(await holds.pause('film', 'the client is away')).toBe(true);
    const paused = { by: 'person', reason: 'the client is away', since: expect.any(String) as string };
    expect(await (await open()).inForce('film')).toEqual(paused);
    expect(await holds.pause('film', 'another reason')).toBe(false);
    await holds.release('film');
    expect(await holds.inForce('film')).toEqual(paused);

    await holds.hold('film', 'it was interrupted');
    expect(await holds.resume('film')).toBe(true);
    expect(await (await open()).inForce('film')).toBeUndefined();
    expect(await holds.resume('film')).toBe(false);
  });
});
