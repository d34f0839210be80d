import { lastRuns } from '../../../client/schedules/list-runs';
import { type ScheduledRun, type Store, UnreadableRecord } from '../../../store';

describe('the last runs of a schedule', () => {
  const IDS = ['night-20261122T0200', 'night-20261123T0200', 'night-20261124T0200'];

  /** @param error what the read of the second run ends with. */
  const runsIf = (error: Error): ReturnType<typeof lastRuns> => {
    const read = (productionId: string): Promise<ScheduledRun> =>
      productionId === IDS[1]
        ? Promise.reject(error)
        : Promise.resolve({ productionId, kind: 'production', number: 1, scheduledAt: '', by: 'schedule' } as never);
    const runs = { ids: () => Promise.resolve(IDS), run: (_schedule: string, id: string) => read(id) };
    const store = { runs, outPlaces: { noted: () => Promise.resolve({}) } } as unknown as Store;
    return lastRuns(store, 'night', () => Promise.resolve(undefined));
  };

  it('are the others if the record of one is damaged', async () => {
    const damaged = new UnreadableRecord('runs/night', new SyntaxError('no JSON'));
    expect((await runsIf(damaged)).map(({ production }) => production)).toEqual([IDS[2], IDS[0]]);
  });

  it('are not fewer because the disk cannot be read', async () => {
    const error = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    await expect(runsIf(error)).rejects.toBe(error);
  });
});
