import { checkAssets } from '../../client/books/check-assets';
import { type Store } from '../../store';
import { newStore } from './store-with-takes';

const PNG = { mediaType: 'image/png', durationSeconds: null, width: 1, height: 1 };

describe('the check of assets', () => {
  it('finds an asset that cannot be read, and does not call it missing', async () => {
    const store = await newStore();
    const asset = await store.assets.putBytes(Buffer.from('a picture'), PNG);
    const failing = (method: 'sizeOf' | 'open'): Pick<Store, 'assets'> => {
      const fail = (): never => {
        throw new Error('EIO: i/o error');
      };
      return {
        assets: {
          ...store.assets,
          shownPath: () => 'clip.mp4',
          sizeOf: () => Promise.resolve(asset.sizeBytes),
          [method]: fail,
        },
      };
    };
    const expected = [{ place: { shot: 'a', take: 1 }, name: 'clip', asset, restoreCommand: 'dailies render FILE' }];
    for (const method of ['sizeOf', 'open'] as const) {
      expect(await checkAssets(failing(method) as Store, expected)).toMatchObject([
        { kind: 'asset-unreadable', what: 'clip clip.mp4: EIO: i/o error', command: null },
      ]);
    }
  });

  it('names no shell command that runs "the program that started it"', async () => {
    const store = await newStore();
    const asset = await store.assets.putBytes(Buffer.from('a picture'), PNG);
    const altered = { ...asset, sha256: 'a'.repeat(64) };
    const assets = { ...store.assets, shownPath: () => 'clip.mp4', open: () => store.assets.open(asset) };
    Object.assign(assets, { sizeOf: () => Promise.resolve(asset.sizeBytes) });
    const expected = { place: { shot: 'a', take: 1 }, name: 'clip', asset: altered };
    const commandFor = async (restoreCommand: string) =>
      (await checkAssets({ assets } as unknown as Store, [{ ...expected, restoreCommand }]))[0]?.command;
    expect(await commandFor('the program that started it')).toBe('rm clip.mp4, then: the program that started it');
    expect(await commandFor('dailies render FILE')).toBe('rm clip.mp4 && dailies render FILE');
  });
});
