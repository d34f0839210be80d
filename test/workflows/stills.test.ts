import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { DAWN, inWords, kinds, mark, PICTURE, shotOf, start } from './films-with-stills';

describe('stills and written prompts', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());
  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  it('pays for no video before its picture is approved, and starts it on the exact bytes of the approved picture', async () => {
    const since = mark(rig);
    await start(rig, 'approved', `shots: [${DAWN.replace('A lighthouse', 'A lighthouse, review: true, takes: 2')}]`);
    const review = await until(async () => {
      const shot = await shotOf(rig, 'approved', PICTURE);
      return shot?.state === 'review' && shot.review?.takesUnderWay === 0 ? shot : undefined;
    });
    expect(review.takes.map(({ state }) => state)).toEqual(['completed', 'completed']);
    expect(kinds(rig, since)).toEqual(['pixel-image-1', 'pixel-image-1']);
    const other = review.takes.find(({ take }) => take !== review.filmTake)!;
    await rig.client.approve('approved', PICTURE, other.take);
    const status = await rig.client.ended('approved');

    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    expect(kinds(rig, since)).toEqual(['pixel-image-1', 'pixel-image-1', 'beta-2.5']);
    expect(rig.sandbox.tasks().at(-1)?.parameters['startFrame']).toBe(inWords(other.asset!));
    const [take] = await rig.store.ledger.takes('approved', 'dawn');
    expect(take?.intent.parameters['startFrame']).toBe(inWords(other.asset!));
  });
});
