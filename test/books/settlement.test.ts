import { settlementOf } from '../../client/books/settlement';
import { askKey, takeKey, type TakeHistory } from '../../store';
import { AT, intent, sent, settled } from '../support/ledger-fixtures';
import { betaShot, film } from '../support/rig';

const SHOTS = ['collected', 'pruned', 'unclear', 'on-its-way', 'failed', 'refused', 'held', 'never'] as const;
const production = film(
  'film',
  SHOTS.map((id) => betaShot(id)),
);
const accepted = { taskId: 'task-1', at: AT };
const asset = { sha256: 'd'.repeat(64), sizeBytes: 5, mediaType: 'video/mp4', durationSeconds: 4, width: 1, height: 1 };
const output = {
  taskId: 'task-1',
  asset,
  firstFrame: asset,
  lastFrame: { asset, source: 'clip' as const },
  warnings: [],
};

/** The first take of a shot, for its current request. */
function takeOf(shotId: (typeof SHOTS)[number], changes: Partial<TakeHistory>): [string, readonly TakeHistory[]] {
  const shot = production.shots.find(({ id }) => id === shotId)!;
  const ask = askKey({ account: 'sandbox', productionId: 'film', shot, links: [] });
  const asked = intent({ askKey: ask, takeKey: takeKey(ask, 0), renderId: 'render-2' });
  return [shotId, [{ take: 1, intent: asked, sendings: [], decisions: [], ...changes }]];
}

const AGAIN = 'dailies render film.yaml --id film';
const LATER = '2026-01-02T00:00:00.000Z';

describe('a settlement', () => {
  it('puts each take and shot in the category that the ledger gives', () => {
    const refused = { again: false, reason: 'no', at: AT };
    const takes = new Map([
      takeOf('collected', { sendings: [{ n: 1, sent: sent(), accepted }], settled: settled('completed'), output }),
      takeOf('pruned', { settled: settled('completed'), output, pruned: { at: AT } }),
      takeOf('unclear', { sendings: [{ n: 1, sent: sent(), unclear: { reason: 'no answer', at: AT } }] }),
      takeOf('on-its-way', { sendings: [{ n: 1, sent: sent(), accepted: { taskId: 'task-2', at: AT } }] }),
      takeOf('failed', {
        intent: intent({ askKey: 'c'.repeat(64) }),
        sendings: [{ n: 1, sent: sent(), accepted }],
        settled: settled('failed', 'task-3', null),
      }),
      takeOf('refused', { sendings: [{ n: 1, sent: sent(), refused }] }),
      takeOf('held', {}),
    ]);
    const status = {
      production: 'film',
      state: 'cancelled',
      renderId: 'render-2',
      startedAt: LATER,
    } as const;
    const input = { account: 'sandbox', production, takes, choices: new Map(), sideBySide: new Map() };
    expect(settlementOf(input, status, AGAIN)).toEqual({
      production: 'film',
      state: 'cancelled',
      spent: { credits: 24, byThisRender: 24, tasksWithoutPrice: 1 },
      collected: [{ shot: 'collected', take: 1 }],
      unclear: [
        {
          shot: 'unclear',
          take: 1,
          isCurrent: true,
          since: AT,
          reason: 'no answer',
          // No workflow takes a decision before the next render.
          command: AGAIN,
        },
      ],
      uncollected: [{ shot: 'on-its-way', take: 1, taskId: 'task-2' }],
      failed: [
        { shot: 'failed', take: 1, reason: 'no luck' },
        { shot: 'refused', take: 1, reason: 'no' },
      ],
      // The failed take was for another request: for the current one, nothing was sent.
      notStarted: ['failed', 'held', 'never'],
    });
    expect(settlementOf(input, { ...status, state: 'running' }, AGAIN).unclear).toMatchObject([
      { command: 'dailies resolve film unclear --adopt TASK_ID | --resubmit | --skip | --use FILE' },
    ]);
  });

  it('sums charges without floating-point noise', () => {
    const takes = new Map([
      takeOf('collected', {
        sendings: [{ n: 1, sent: sent(), accepted }],
        settled: settled('completed', 'task-1', 0.1),
      }),
      takeOf('pruned', { sendings: [{ n: 1, sent: sent(), accepted }], settled: settled('completed', 'task-1', 0.2) }),
    ]);
    const input = { account: 'sandbox', production, takes, choices: new Map(), sideBySide: new Map() };
    const status = { production: 'film', state: 'completed', renderId: 'render-2', startedAt: LATER } as const;
    expect(settlementOf(input, status, AGAIN).spent).toMatchObject({ credits: 0.3, byThisRender: 0.3 });
  });

  it('counts takes that this render has sent, whichever render created their record', () => {
    const sentAgain = { ...sent(), at: LATER };
    const takes = new Map([
      takeOf('collected', { settled: settled('completed'), sendings: [{ n: 1, sent: sent(), accepted }] }),
      takeOf('pruned', { settled: settled('completed'), sendings: [{ n: 1, sent: sentAgain, accepted }] }),
    ]);
    const input = { account: 'sandbox', production, takes, choices: new Map(), sideBySide: new Map() };
    const render = { renderId: 'render-3', startedAt: LATER };
    expect(settlementOf(input, { production: 'film', state: 'completed', ...render }, AGAIN).spent).toMatchObject({
      credits: 24,
      byThisRender: 12,
    });
  });
});
