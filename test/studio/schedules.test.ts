import { type BackfillPlan, type RunPlan, type ScheduleView } from '../../client/schedules';
import { Refused } from '../../client/wording/refused';
import { schedules } from '../../studio/pages/schedule/schedules';
import { visit, type Visit } from '../support/studio-visit';

const HOSTILE = '<script>alert(1)</script>';

const VIEW: ScheduleView = {
  ...{ schedule: 'nightly', state: 'active', note: `for ${HOSTILE}`, catchUpSeconds: 60, out: 'out/nightly' },
  timing: {
    ...{ cron: '0 2 * * *', every: null, timezone: 'UTC', overlap: 'skip' },
    ...{ catchUp: null, jitter: null, pauseOnFailure: true },
  },
  file: {
    ...{ path: `/films/${HOSTILE}.yaml`, given: false, version: 2, frozenAt: '2026-11-20T02:00:00Z' },
    ...{ sha256: 'a'.repeat(64), files: [] },
  },
  nextTimes: ['2026-11-23T02:00:00.000Z'],
  counts: { started: 3, skipped: 1, missed: 0, dropped: 0, waiting: 0 },
  ...{ underWay: [], troubles: [] },
  runs: [
    {
      ...{ production: 'nightly-20261122T020000Z', kind: 'production', number: 3, by: 'schedule', out: null },
      ...{ scheduledAt: '2026-11-22T02:00:00Z', state: 'incomplete', reason: `it ${HOSTILE}` },
    },
    {
      ...{ production: 'nightly-20261121T020000Z', kind: 'batch', number: 2, by: 'hand', out: null },
      ...{ scheduledAt: '2026-11-21T02:00:00Z', state: 'completed', reason: null },
    },
  ],
};

const PLAN: BackfillPlan = {
  ...{ schedule: 'nightly', version: 2, due: 3, had: 1 },
  quote: { tasks: 4, credits: 40, unknown: 0 },
};

const RUN_PLAN: RunPlan = { schedule: 'nightly', version: 2, quote: { tasks: 2, credits: 20, unknown: 0 } };

describe('schedules', () => {
  let runPlan: RunPlan;
  let calls: (readonly unknown[])[];
  let plan: BackfillPlan;

  beforeEach(() => {
    calls = [];
    plan = PLAN;
    runPlan = RUN_PLAN;
  });

  function over(changes: object = {}): Visit {
    const call =
      (name: string) =>
      (...given: readonly unknown[]) =>
        Promise.resolve(void calls.push([name, ...given]));
    const called = Object.fromEntries(
      ['pause', 'resume', 'delete', 'create', 'update'].map((name) => [name, call(name)]),
    );
    const parts = {
      ...called,
      list: () => Promise.resolve([VIEW]),
      show: (name: string) => (name === 'nightly' ? Promise.resolve(VIEW) : Promise.reject(new Refused('no schedule'))),
      planRun: () => Promise.resolve(runPlan),
      trigger(_name: string, seen: unknown) {
        if (JSON.stringify(seen) !== JSON.stringify(runPlan)) return Promise.reject(new Refused('plan again'));
        calls.push(['trigger']);
        return Promise.resolve('nightly-20261123T120000Z-hand');
      },
      planBackfill: () => Promise.resolve(plan),
      backfill(_name: string, _request: unknown, seen: unknown) {
        if (JSON.stringify(seen) !== JSON.stringify(plan)) return Promise.reject(new Refused('plan again'));
        calls.push(['backfill']);
        return Promise.resolve({ due: plan.due, had: plan.had });
      },
      ...changes,
    };
    return visit([schedules], { schedules: parts });
  }

  it('shows what is rendered, next times, and runs with the way to their production or batch, as texts', async () => {
    const studio = over();
    for (const path of ['/schedules', '/schedules/nightly']) {
      const { text, status } = await studio.get(path);
      expect(status).toBe(200);
      expect(text).toContain('2026-11-23T02:00:00.000Z');
      expect(text).not.toContain(HOSTILE);
    }
    const { text } = await studio.get('/schedules/nightly');
    expect(text).toContain('"/productions/nightly-20261122T020000Z"');
    expect(text).toContain('"/batches/nightly-20261121T020000Z"');
    expect(await studio.get('/schedules/other')).toMatchObject({ status: 409 });
    expect(studio.errors).toEqual([]);
  });

  it.each(['pause', 'delete'])('does %s once for a form that is sent twice', async (verb) => {
    const studio = over();
    const page = await studio.get('/schedules/nightly');
    const path = `/schedules/nightly/${verb}`;
    await Promise.all([studio.send(page, path), studio.send(page, path)]);
    expect(calls).toEqual([[verb, 'nightly']]);
  });

  it('does not update a schedule that was changed since its page was opened', async () => {
    let version = 2;
    const show = () => Promise.resolve({ ...VIEW, file: { ...VIEW.file, version } });
    const studio = over({ show });
    const page = await studio.get('/schedules/nightly');
    version = 3;
    const refused = await studio.send(page, '/schedules/nightly/update', { cron: '* * * * *' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('was changed since you opened its page');
    // The refused form has the person's old values: a second click must not overwrite the newer version with them.
    const again = await studio.send(refused, '/schedules/nightly/update');
    expect(again.text).toContain('was changed since you opened its page');
    expect(calls).toEqual([]);
  });

  it('shows the price of a run by hand first, and begins it once', async () => {
    const studio = over();
    const path = '/schedules/nightly/trigger';
    const asked = await studio.send(await studio.get('/schedules/nightly'), path);
    expect(asked.text).toContain('20 credits');
    expect(calls).toEqual([]);
    const done = await Promise.all([studio.send(asked, path), studio.send(asked, path)]);
    for (const { text } of done) expect(text).toContain('has begun');
    expect(calls).toEqual([['trigger']]);
  });

  it('begins no run by hand if the price has changed', async () => {
    const studio = over();
    const path = '/schedules/nightly/trigger';
    const asked = await studio.send(await studio.get('/schedules/nightly'), path);
    runPlan = { ...RUN_PLAN, quote: { ...RUN_PLAN.quote, credits: 40 } };
    expect(await studio.send(asked, path)).toMatchObject({ status: 409 });
    expect(calls).toEqual([]);
  });

  it('shows the price of past times first, and begins them once', async () => {
    const studio = over();
    const path = '/schedules/nightly/backfill';
    const period = { from: '2026-11-20T02:00:00Z', to: '2026-11-22T02:00:00Z' };
    const asked = await studio.send(await studio.get('/schedules/nightly'), path, period);
    expect(asked.text).toContain('2 runs of nightly');
    expect(asked.text).toContain('40 credits');
    expect(calls).toEqual([]);
    const done = await Promise.all([studio.send(asked, path), studio.send(asked, path)]);
    for (const { text } of done) expect(text).toContain('2 runs begin');
    expect(calls).toEqual([['backfill']]);
  });

  it('begins no past times if the price has changed, and keeps a period that is none', async () => {
    const studio = over();
    const path = '/schedules/nightly/backfill';
    const asked = await studio.send(await studio.get('/schedules/nightly'), path, { from: 'a', to: 'b' });
    plan = { ...PLAN, version: 3 };
    expect(await studio.send(asked, path)).toMatchObject({ status: 409 });
    expect(calls).toEqual([]);
    const refusing = over({ planBackfill: () => Promise.reject(new Refused(`no instant ${HOSTILE}`)) });
    const typed = { from: `"${HOSTILE}`, to: 'b' };
    const kept = await refusing.send(await refusing.get('/schedules/nightly'), path, typed);
    expect(kept.status).toBe(422);
    expect(kept.text).toContain('value="&quot;&lt;script&gt;');
    expect(kept.text).not.toContain(HOSTILE);
  });

  it('makes a schedule of what was typed, with the folder that the command would take', async () => {
    const studio = over({
      show: () => Promise.resolve(VIEW),
    });
    const typed = { name: 'weekly', file: 'film.yaml', cron: '0 2 * * 1', timezone: 'Europe/Berlin', overlap: 'skip' };
    const made = await studio.send(await studio.get('/schedules'), '/schedules', typed);
    expect(made.text).toContain('is created');
    const options = { cron: '0 2 * * 1', timezone: 'Europe/Berlin', overlap: 'skip', out: 'out/weekly' };
    expect(calls).toEqual([['create', 'weekly', 'film.yaml', options]]);
  });

  it('keeps what was typed if the client refuses it', async () => {
    const studio = over({ create: () => Promise.reject(new Refused('film.yaml:3:1: no shot')) });
    const typed = { name: 'weekly', file: 'film.yaml', every: '6h' };
    const kept = await studio.send(await studio.get('/schedules'), '/schedules', typed);
    expect(kept.status).toBe(422);
    expect(kept.text).toContain('film.yaml:3:1: no shot');
    expect(kept.text).toContain('value="6h"');
    expect(kept.text).toContain('dailies schedule create weekly film.yaml --every 6h');
  });

  it('changes times and leaves the file, if none is typed', async () => {
    const studio = over();
    await studio.send(await studio.get('/schedules/nightly'), '/schedules/nightly/update', {
      cron: '0 3 * * *',
      overlap: 'skip',
    });
    expect(calls).toEqual([
      ['update', 'nightly', { cron: '0 3 * * *', timezone: 'UTC', overlap: 'skip', out: 'out/nightly' }],
    ]);
  });
});
