import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolderRecords, type Records, UnreadableRecord } from '../../../store/records';
import { createNotedOutPlaces } from '../../../store/production/out-places';
import { temporaryFolder } from '../../support/temporary-folder';

const PUT = { folder: '/out', renderId: 'render-1', film: null };

describe('the noted place of a result', () => {
  it('keeps what was noted before, if its record cannot be read for now', async () => {
    const records = createFolderRecords(await temporaryFolder());
    await createNotedOutPlaces(records).noteFolder('film', '/named');
    const denied = new UnreadableRecord('refused', Object.assign(new Error('refused'), { code: 'EIO' }));
    const failing: Records = { ...records, read: () => Promise.reject(denied) };
    const places = createNotedOutPlaces(failing);
    await expect(places.notePublication('film', PUT)).rejects.toBe(denied);
    await expect(places.noteFolder('film', '/other')).rejects.toBe(denied);
    expect(await places.noted('film')).toEqual({});
    expect(await createNotedOutPlaces(records).noted('film')).toEqual({ named: '/named' });
  });

  it('is written again if its record is damaged', async () => {
    const folder = await temporaryFolder();
    const places = createNotedOutPlaces(createFolderRecords(folder));
    await places.noteFolder('film', '/named');
    await writeFile(join(folder, 'out-places', 'film.json'), '{"nam');
    await places.notePublication('film', PUT);
    expect(await places.noted('film')).toEqual({ put: PUT });
  });
});
