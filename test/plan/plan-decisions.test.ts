import { type Injection } from '../../sandbox/faults/injection';
import { park, cancel, keepsItsPlan, pair } from './kept-plans';

/** What a render does is held against its plan, for every state in which a take waits for people or did. */
describe('a plan of takes that people decide about', () => {
  it.each<[string, Injection]>([
    ['failed', { kind: 'task-fails', count: 1 }],
    ['refused-for-credits', { kind: 'refuse-402', on: 'submit', count: 1 }],
  ])('pays again for one that is parked as %s once its render has ended', async (id, fault) => {
    const production = pair(`ended-${id}`);
    await park(production, fault);
    await cancel(production);
    const { joins, underWay } = await keepsItsPlan(production, { one: 'again', after: 'new' });
    expect({ joins, underWay }).toEqual({ joins: false, underWay: false });
  });
});
