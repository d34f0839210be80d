import { film, betaShot, linkedShot, planOf } from '../support/rig';
import { type PlannedShot } from '../../contracts/render/plan';
import { renewedShots } from '../../workflows/progress/revision';

describe('which shots another version looks at again', () => {
  const before = planOf(film('film', [betaShot('a'), linkedShot('a2', 'a'), linkedShot('a3', 'a2'), betaShot('b')]));
  const changed = (id: string, changes: Partial<PlannedShot>) => ({
    ...before,
    shots: before.shots.map((shot) => (shot.id === id ? { ...shot, ...changes } : shot)),
  });
  const renewed = (plan = before, again: readonly string[] = []): readonly string[] =>
    renewedShots(before, { plan, again });

  it.each<[string, Partial<PlannedShot>]>([
    ['another wish', { digest: 'f'.repeat(64) }],
    ['more takes', { takes: 2 }],
    ['a review', { review: { withinSeconds: null, otherwise: 'approve' } }],
    ['another link', { links: [{ kind: 'link', shot: 'b', frame: 'last' }] }],
    ['another frame', { links: [{ kind: 'link', shot: 'a', frame: 'first' }] }],
  ])('%s: the shot, and all that starts on its frames', (_what, changes) => {
    expect(renewed(changed('a2', changes))).toEqual(['a2', 'a3']);
  });

  it.each<[string, Partial<PlannedShot>]>([
    ['a deadline', { deadlineSeconds: 1 }],
    ['further takes', { retryFailed: 5 }],
    ['what is unclear', { onUnclear: 'resubmit' }],
    ['what fails', { onFailure: 'skip' }],
    ['what was decided before', { directed: true }],
  ])('%s: none', (_what, changes) => {
    expect(renewed(changed('a', changes))).toEqual([]);
  });

  it('includes named and new shots; the order of links does not matter', () => {
    expect(renewed(before, ['a2'])).toEqual(['a2', 'a3']);
    const more = planOf(film('film', [betaShot('c'), betaShot('a'), linkedShot('a2', 'a'), linkedShot('a3', 'a2')]));
    expect(renewed(more)).toEqual(['c']);
    const links = (...frames: ('first' | 'last')[]) =>
      changed('b', { links: frames.map((frame) => ({ kind: 'link', shot: 'a', frame })) });
    expect(renewedShots(links('first', 'last'), { plan: links('last', 'first'), again: [] })).toEqual([]);
  });
});
