import { noteBegun } from '../../../client/records/note-begun';
import { type BegunRender, type FolderStore } from '../../../store';
import { newStore } from '../../books/store-with-takes';
import { AT, FROZEN } from '../../support/ledger-fixtures';

describe('the record of a render that begins', () => {
  let store: FolderStore;

  beforeEach(async () => {
    store = await newStore();
  });

  const render = (renderId: string): BegunRender => ({ production: 'raced', renderId, frozen: FROZEN, startedAt: AT });
  const note = (renderId: string, path?: string) => noteBegun(store, 'sandbox', render(renderId), path);
  const noted = () => store.productions.begun('raced');

  it('gives the record of the render before it, so that it can be put back', async () => {
    expect(await note('first', '/first.yaml')).toBeUndefined();
    expect(await note('second', '/second.yaml')).toMatchObject({ renderId: 'first', path: '/first.yaml' });
    expect(await noted()).toMatchObject({ renderId: 'second', path: '/second.yaml' });
  });

  it('gives the record of another first render that was written while it was looking', async () => {
    jest.spyOn(store.productions, 'begun').mockImplementationOnce(async (productionId) => {
      const before = await store.productions.begun(productionId);
      await note('first', '/first.yaml');
      return before;
    });
    expect(await note('second', '/second.yaml')).toMatchObject({ renderId: 'first', path: '/first.yaml' });
    expect(await noted()).toMatchObject({ renderId: 'second' });
  });

  it.each([
    ['keeps the path of the same render', 'first', '/first.yaml'],
    ['knows no path for another render', 'second', undefined],
  ])('%s if none is given', async (_, renderId, path) => {
    await note('first', '/first.yaml');
    await note(renderId);
    expect(await noted()).toMatchObject({ renderId });
    expect((await noted())?.path).toBe(path);
  });
});
