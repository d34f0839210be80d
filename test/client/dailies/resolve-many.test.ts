import { type DecisionsStopped, resolveMany } from '../../../client/dailies/resolve-many';
import { Refused } from '../../../client/wording/refused';

const TAKES = Array.from({ length: 30 }, (_, index) => ({ shotId: `row-${index}`, take: 1 }));

describe('an answer to many takes', () => {
  it('is given to each take once, and a refusal does not affect the others', async () => {
    const asked: string[] = [];
    const resolve = (_id: string, shotId: string): Promise<{ goesOn: boolean }> => {
      asked.push(shotId);
      return shotId === 'row-3' ? Promise.reject(new Refused('not under way')) : Promise.resolve({ goesOn: true });
    };
    expect(await resolveMany({ resolve }, 'batch', TAKES, { kind: 'skip' })).toEqual({
      decided: 29,
      refused: [{ shotId: 'row-3', take: 1, reason: 'not under way' }],
      goesOn: true,
    });
    expect(asked.toSorted()).toEqual(TAKES.map(({ shotId }) => shotId).toSorted());
  });

  it('stops if no worker can be reached any more', async () => {
    let asked = 0;
    const resolve = (): Promise<never> => {
      asked += 1;
      return Promise.reject(new Error('Temporal is away'));
    };
    await expect(resolveMany({ resolve }, 'batch', TAKES, { kind: 'resubmit' })).rejects.toThrow('away');
    expect(asked).toBeLessThanOrEqual(10);
  });

  it('keeps the refusals, and each kind of error, also if no take was decided', async () => {
    const resolve = (_id: string, shotId: string): Promise<never> => {
      if (shotId === 'row-0') return Promise.reject(new Refused('not under way'));
      return Promise.reject(new Error(shotId === 'row-1' ? 'the disk is full' : 'Temporal is away'));
    };
    const stopped = (await resolveMany({ resolve }, 'batch', TAKES, { kind: 'skip' }).catch(
      (error: unknown) => error,
    )) as DecisionsStopped;
    expect(stopped.made.refused).toEqual([{ shotId: 'row-0', take: 1, reason: 'not under way' }]);
    expect(stopped.message).toBe('0 of 30 takes are decided: the disk is full; Temporal is away');
    expect(stopped.cause).toEqual(new Error('the disk is full'));
  });

  it('says how many takes it decided before an error stopped it', async () => {
    const resolve = (_id: string, shotId: string): Promise<{ goesOn: boolean }> =>
      shotId === 'row-5' ? Promise.reject(new Error('Temporal is away')) : Promise.resolve({ goesOn: true });
    const stopped: unknown = await resolveMany({ resolve }, 'batch', TAKES, { kind: 'resubmit' }).catch(
      (error: unknown) => error,
    );
    const { decided } = (stopped as DecisionsStopped).made;
    expect(decided).toBeGreaterThanOrEqual(5);
    expect((stopped as Error).message).toMatch(new RegExp(`^${decided} of 30 takes .*Temporal is away$`));
    expect((stopped as Error).cause).toEqual(new Error('Temporal is away'));
  });
});
