import { film, pictureShot } from '../../support/rig';
import { accepted, revise, rig, start, statusWhen } from '../revised-productions';

describe('a running production that is revised', () => {
  it('treats parked, completed, waiting and removed shots, two at once, as the new version says', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const parked = pictureShot('parked');
    await start(film('many', [parked]));
    await statusWhen('many', ({ shots }) => shots[0]?.state === 'parked');
    const more = [pictureShot('done'), pictureShot('gone')];
    expect(await revise(film('many', [parked, ...more]))).toEqual(['done', 'gone']);
    await statusWhen('many', ({ shots }) => shots.filter(({ state }) => state === 'completed').length === 2);
    const before = accepted();
    const prompt = (words: string) => ({ parameters: { prompt: words } });
    const next = film('many', [
      pictureShot('new'),
      pictureShot('done', prompt('other')),
      pictureShot('parked', prompt('meek')),
    ]);
    expect(await revise(next)).toEqual(['new', 'done', 'parked']);
    const status = await rig.client.ended('many');
    expect(status.shots.map(({ id, state, filmTake }) => [id, state, filmTake])).toEqual([
      ['new', 'completed', 1],
      ['done', 'completed', 2],
      ['parked', 'completed', 2],
    ]);
    expect(accepted()).toBe(before + 3);
  });
});
