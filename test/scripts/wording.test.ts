import { type ManifestShot } from '../../contracts/manifest';
import { type ShotStatus } from '../../contracts/status';
import { underWayInWords, shotInWords } from '../../client/status/progress-in-words';

describe('a shot that has a take', () => {
  const shot = {
    state: 'completed',
    takes: [
      { take: 1, state: 'completed', taskId: 'task-1' },
      { take: 2, state: 'rendering', taskId: 'task-2' },
      { take: 3, state: 'submitting', taskId: null },
      { take: 4, state: 'failed', taskId: 'task-4' },
    ],
  } as ManifestShot;

  it('is shown with the takes under way beside it, since they are paid for', () => {
    expect(underWayInWords(shot)).toBe('; under way: take 2 (task task-2), take 3');
    expect(underWayInWords({ ...shot, takes: shot.takes.slice(0, 1) })).toBe('');
    expect(underWayInWords({ ...shot, state: 'rendering' })).toBe('');
  });

  it('is shown with the paid takes beside it that were not collected', () => {
    const completed = { ...shot, parked: null, filmTake: 1, reason: 'take 2: task task-2 was left' } as unknown;
    expect(shotInWords(completed as ShotStatus)).toBe('completed (take 1, task task-1); take 2: task task-2 was left');
  });
});
