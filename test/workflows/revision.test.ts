import { liveStatusOf } from '../support/live-status';
import { betaShot, film, linkedShot, pictureShot, planOf } from '../support/rig';
import { rig, accepted, start, revise, statusWhen, long } from './revised-productions';

describe('a running production that is given another version of itself', () => {
  it('parked, completed, waiting and removed shots, two at once: each as the new version says', async () => {
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

  it('is refused, and nothing changes, where it cannot be of this production, or that is being cancelled', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const one = film('refusing', [pictureShot('a')]);
    await start(one);
    await statusWhen('refusing', ({ shots }) => shots[0]?.state === 'parked');
    const empty = { ...planOf(one), shots: [] };
    await expect(revise(one, { productionId: 'another' })).rejects.toThrow('of the production "another"');
    await expect(revise(one, { plan: empty })).rejects.toThrow('it has no shots');
    await expect(revise(one, { again: ['b'] })).rejects.toThrow('it has no shot "b"');
    await expect(revise(film('refusing', [linkedShot('a', 'b')]))).rejects.toThrow('it has no shot "b"');
    expect(await liveStatusOf(rig, 'refusing')).toMatchObject({ shots: [{ id: 'a', state: 'parked' }] });
    await rig.client.resolve('refusing', 'a', { kind: 'skip' });
    await rig.client.ended('refusing');

    const slow = film('leaving', [betaShot('a', { parameters: { ...long, prompt: 'slow' } })]);
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    await start(slow);
    await statusWhen('leaving', ({ shots }) => shots[0]?.takes[0]?.state === 'rendering');
    await rig.client.cancel('leaving');
    await expect(revise(slow, { again: ['a'] })).rejects.toThrow('being cancelled');
    rig.sandbox.faults.clear();
    await rig.client.ended('leaving');
  });
});
