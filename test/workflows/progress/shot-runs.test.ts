import { type ReservationNews } from '../../../contracts/money/budget';
import { type ShotProgress } from '../../../contracts/workflows';
import { type KeptShot, newRun } from '../../../workflows/progress/kept-shot';
import { ShotRuns } from '../../../workflows/progress/shot-runs';

type Run = NonNullable<KeptShot['run']>;

describe('the runs of a production', () => {
  const runs = (...some: (Partial<Run> | null)[]): ShotRuns =>
    new ShotRuns(
      new Map(
        some.map((run, index) => {
          const id = `s${index + 1}`;
          return [id, { id, run: run === null ? null : { ...newRun(), ...run } } as KeptShot];
        }),
      ),
    );
  const heard = { runId: 'older' } as ShotProgress;

  it('can be handed to another history when each is known or waits for an older one', () => {
    expect(runs(null, { id: 'r' }, { isPaused: true }).areKnown()).toBe(true);
    expect(runs({ id: 'r' }, {}).areKnown()).toBe(false);
    const starting = runs({});
    starting.paused('s1', true);
    expect(starting.areKnown()).toBe(true);
  });

  it('are heard of when this history started them or they have reported', () => {
    expect(runs(null, { id: 'r' }, { id: 'r', isAdopted: true, heard }, { heard }).areAllHeardOf()).toBe(true);
    expect(runs({ id: 'r', isAdopted: true }).areAllHeardOf()).toBe(false);
    expect(runs({}).areAllHeardOf()).toBe(false);
  });

  it('accept news of an older run only until their own is known', () => {
    const news = { reservation: { shotId: 's1' }, runId: 'older' } as ReservationNews;
    expect(runs({}).isUnderWay(news)).toBe(true);
    expect(runs({ id: 'r' }).isUnderWay(news)).toBe(false);
    expect(runs(null).isUnderWay(news)).toBe(false);
  });

  it('are missing for planned shots alone', () => {
    expect(['s1', 's2', 's3'].map((id) => runs(null, {}).isMissing(id))).toEqual([true, false, false]);
  });
});
