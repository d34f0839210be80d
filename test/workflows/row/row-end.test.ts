import { type ParkedFor } from '../../../contracts/render/decision';
import { type ProductionStatus, type ShotStatus } from '../../../contracts/status';
import { isSamePark, parkOfProduction } from '../../../workflows/row/row-end';

const SHOT: ShotStatus = {
  ...{ id: 'a', model: 'alpha-3.0-video', state: 'completed', reason: null, parked: null, review: null },
  ...{ takes: [], filmTake: null, startedAt: null, endedAt: null },
};
const since = '2026-11-22T02:00:00.000Z';

function waiting(id: string, reason: ParkedFor): ShotStatus {
  return { ...SHOT, id, state: 'parked', reason: `${id} is ${reason}`, parked: { for: reason, since } };
}

function production(...shots: readonly ShotStatus[]): ProductionStatus {
  return {
    ...{ production: 'film', title: 'Film', state: 'running', renderId: 'r', film: null, assembly: 'none' },
    ...{ reason: null, startedAt: since, endedAt: null, shots },
    frozen: {
      ...{ sha256: '0'.repeat(64), sizeBytes: 1, mediaType: 'application/json' },
      ...{ durationSeconds: null, width: null, height: null },
    },
  };
}

describe('a row whose production waits for people', () => {
  const inReview: ShotStatus = { ...SHOT, id: 'in-review', review: { since, takesUnderWay: 0 } };

  it.each<[string, ShotStatus[], string | null, string]>([
    ['its first waiting shot', [SHOT, inReview, waiting('b', 'overdue')], null, 'in-review: waits for an approval'],
    ['an unclear submit, which may be charged', [inReview, waiting('b', 'unclear')], 'unclear', 'b: b is unclear'],
    [
      'a failure, which counts towards the end of the batch',
      [waiting('b', 'unclear'), waiting('c', 'failed')],
      'failed',
      'c: c is failed',
    ],
    [
      'a lack of credits, which stops the batch',
      [waiting('b', 'failed'), waiting('c', 'credits')],
      'credits',
      'c: c is credits',
    ],
  ])('reports %s', (_what, shots, parkedFor, reason) => {
    expect(parkOfProduction(production(...shots))).toMatchObject({ state: 'parked', parkedFor, reason });
  });

  it('reports again if another shot waits, and not if only the charges change', () => {
    const [before, same, other] = ['b', 'b', 'c'].map((id) => parkOfProduction(production(waiting(id, 'overdue'))));
    expect(isSamePark(before!, { ...same!, credits: 5 })).toBe(true);
    expect(isSamePark(before!, other!)).toBe(false);
  });

  it('reports what its shots were charged so far', () => {
    const take = { take: 1, taskId: 'task-1', state: 'completed', credits: 12, attempt: 1 };
    const paid = { ...SHOT, takes: [take] } as unknown as ShotStatus;
    expect(parkOfProduction(production(paid, waiting('b', 'failed')))).toMatchObject({ credits: 12 });
  });
});
