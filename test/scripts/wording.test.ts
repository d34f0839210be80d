import { type ManifestShot } from '../../contracts/manifest';
import { type ShotStatus } from '../../contracts/status';
import { underWayInWords, shotInWords } from '../../client/status/progress-in-words';
import { ignoredInWords } from '../../scripts/wording/batch-report';

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

describe('a batch that already runs', () => {
  it('is joined with the words which given rules it ignores: those that differ from its own', () => {
    const running = { parallel: 4, stopAfterFailures: null };
    expect(ignoredInWords({ parallel: 32, stopAfterFailures: 2, priority: 'urgent' }, running)).toBe(
      'The batch already runs and keeps its own rules. Ignored: --parallel 32 (it has 4), ' +
        '--stop-after-failures 2 (it has no limit), --priority urgent (it has batch).',
    );
    expect(ignoredInWords({ parallel: 4, stopAfterFailures: null, priority: 'batch' }, running)).toBeUndefined();
    expect(ignoredInWords({}, running)).toBeUndefined();
  });
});
