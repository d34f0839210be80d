import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type FolderStore } from '../../../store';
import { filmHash, type WantedFilm } from '../../../store/production/wanted-film';
import { recordsOf } from '../../support/store-records';
import { temporaryFolder } from '../../support/temporary-folder';

const FILM: WantedFilm = {
  clips: [{ chapter: 'dawn', sha256: 'a'.repeat(64), continuesPrevious: false }],
  metadataTitle: 'Dawn',
  output: {},
} as unknown as WantedFilm;
const VIDEO = { mediaType: 'video/mp4', durationSeconds: 4, width: 64, height: 48 };
const RECIPE = { frame: 'a', anchor: 'b' };
const MEASURES = { brightness: 1, contrast: 2, red: 3, green: 4, blue: 5 };

/** What is made at no cost is made again if its record is cut short. */
describe('a damaged record', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await openStore(await temporaryFolder());
  });

  /** Cuts each record below the key short. */
  async function damage(key: string): Promise<void> {
    for (const name of await recordsOf(store).list(key)) {
      await writeFile(join(store.folder, key, `${name}.json`), '{ "fil');
    }
  }

  async function stored(text: string) {
    return store.assets.putBytes(Buffer.from(text), VIDEO);
  }

  it('of a film counts as absent, and is replaced', async () => {
    const asset = await stored('film');
    await store.films.note(FILM, asset);
    await damage('films');
    expect(await store.films.made(FILM)).toBeUndefined();
    await store.films.note(FILM, asset);
    expect(await store.films.made(FILM)).toEqual(asset);
  });

  it('of a film makes no other film unknown, and no film free', async () => {
    const [kept, old] = [await stored('kept'), await stored('old')];
    await store.films.note(FILM, kept);
    await damage('films');
    await store.films.note({ ...FILM, metadataTitle: 'Dusk' }, old);
    expect(await store.films.allExcept(new Set())).toEqual([old]);
    expect(await store.films.allExcept(new Set([filmHash(FILM)]))).toEqual([old]);
  });

  it('of an anchored frame counts as absent, and is replaced', async () => {
    const asset = await stored('frame');
    await store.films.noteFrame(RECIPE, asset);
    await damage('anchored');
    expect(await store.films.frame(RECIPE)).toBeUndefined();
    await store.films.noteFrame(RECIPE, asset);
    expect(await store.films.frame(RECIPE)).toEqual(asset);
  });

  it('of colour measures counts as absent: the clip is measured again', async () => {
    const asset = await stored('clip');
    await store.measures.once(asset, () => Promise.resolve(MEASURES));
    await damage('measures');
    expect(await store.measures.kept(asset)).toBeUndefined();
    expect(await store.measures.once(asset, () => Promise.resolve(MEASURES))).toEqual(MEASURES);
    expect(await store.measures.kept(asset)).toEqual(MEASURES);
  });
});
