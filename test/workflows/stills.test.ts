import { readFile } from 'node:fs/promises';
import { type AssetRef } from '../../contracts/asset';
import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { DAWN, PICTURE, start, render, retake, shotOf, mark, kinds, expectNoTask, inWords } from './films-with-stills';

describe('stills and written prompts', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());
  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  it('pays for no video before its picture is approved, and starts it on the very bytes of the approved one', async () => {
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

  it('sends the text that was written, keeps it over renders, and takes another video for another text', async () => {
    const text = `shots: [{ id: dawn, prompt: { from: { model: quill-text-1, prompt: the sun rises } } }]`;
    const status = await render(rig, 'written', text);
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    const words = await textOf(rig, status.shots[0]!.takes[0]!.asset!);
    expect(words).toContain('the sun rises');
    expect(rig.sandbox.tasks().at(-1)?.parameters['prompt']).toBe(words.trim());
    expect((await rig.store.ledger.takes('written', 'dawn'))[0]?.intent.parameters['prompt']).toBe(words.trim());
    await expectNoTask(rig, () => render(rig, 'written', text));

    const since = mark(rig);
    const { follows } = await retake(rig, 'written', 'dawn.prompt', { prompt: 'the moon sets' });
    expect(follows.shots.map(({ shot, action, through }) => [shot, action, through])).toEqual([
      ['dawn.prompt', 'changed', []],
      ['dawn', 'stale', ['dawn.prompt']],
    ]);
    await rig.client.ended('written');
    expect(kinds(rig, since)).toEqual(['quill-text-1', 'beta-2.5']);
    expect(rig.sandbox.tasks().at(-1)?.parameters['prompt']).toContain('the moon sets');
  });
});

function textOf({ store }: Rig, asset: AssetRef): Promise<string> {
  return readFile(store.assets.localPath(asset), 'utf8');
}
