import { shotInWords } from '../../../client/status/progress-in-words';
import { type ShotStatus } from '../../../contracts/status';
import { type TakeProgress } from '../../../contracts/render/take';

const take = (number: number, state: TakeProgress['state'], taskId: string | null): TakeProgress => ({
  take: number,
  takeKey: 'key',
  state,
  taskId,
  credits: null,
  asset: null,
  firstFrame: null,
  lastFrame: null,
  warnings: [],
});

const shot = (fields: Partial<ShotStatus>): ShotStatus => ({
  id: 'dawn',
  model: 'beta-video-2',
  state: 'rendering',
  reason: null,
  parked: null,
  review: null,
  takes: [],
  filmTake: null,
  startedAt: null,
  endedAt: null,
  ...fields,
});

describe('a shot in a few words', () => {
  it.each<[string, ShotStatus['takes'], string]>([
    ['that has no take yet', [], 'starts'],
    ['whose take has no task yet', [take(1, 'submitting', null)], 'starts'],
    ['whose take has a task', [take(1, 'rendering', 'task-1')], 'renders (take 1, task task-1)'],
    ['that renders again, with only the rejected take known', [take(1, 'completed', 'task-1')], 'starts'],
    [
      'that renders beside a rejected take',
      [take(2, 'rendering', 'task-2'), take(1, 'completed', 'task-1')],
      'renders (take 2, task task-2)',
    ],
  ])('names the take under way of a shot %s', (_name, takes, words) => {
    expect(shotInWords(shot({ takes }))).toBe(words);
  });

  it('names only the takes that can be approved', () => {
    const takes = [take(1, 'completed', 'task-1'), take(2, 'completed', 'task-2')];
    const review = { since: '2026-01-01T00:00:00.000Z', takesUnderWay: 0 };
    const inReview = shot({ state: 'review', takes, filmTake: 2, review: { ...review, takes: [2] } });
    expect(shotInWords(inReview)).toBe('waits for your approval: take 2');
    expect(shotInWords({ ...inReview, review })).toBe('waits for your approval: take 1, take 2 chosen');
  });
});
