import { type KnownProduction, listTakes } from '../../../client/directing';
import { address, book, newStore } from '../../books/store-with-takes';
import { betaShot, film } from '../../support/rig';

describe('the list of takes', () => {
  it('includes takes of shots that were removed from the film, after the others', async () => {
    const store = await newStore();
    for (const shot of ['gone', 'kept', 'left']) await book(store, address(shot), 'settled');
    const production = film('film', [betaShot('new'), betaShot('kept')]);
    const listed = await listTakes(store, 'sandbox', { production } as KnownProduction);
    expect(listed.map(({ shot, take, credits, chosen }) => [shot, take, credits, chosen])).toEqual([
      ['kept', 1, 12, false],
      ['gone', 1, 12, false],
      ['left', 1, 12, false],
    ]);
  });
});
