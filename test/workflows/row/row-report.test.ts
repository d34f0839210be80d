import type { RowOutcome } from '../../../contracts/render/batch';
import type { CarriedRow } from '../../../contracts/render/carried-production';
import { ReportedState } from '../../../workflows/row/row-report';

const PARKED: RowOutcome = {
  ...{ state: 'parked', reason: 'a: no answer', parkedFor: 'unclear' },
  ...{ take: null, taskId: null, credits: null, asset: null },
};
const OTHER: RowOutcome = { ...PARKED, reason: 'b: no answer' };

/** A row that the batch's first run started. */
function started(): ReportedState {
  return new ReportedState({ lastRun: 'run-1' });
}
/** The row after continue-as-new, which passes on JSON. */
function nextHistory(state: ReportedState): ReportedState {
  return new ReportedState(JSON.parse(JSON.stringify(state.carried())) as CarriedRow);
}
function parkedInRun1(): ReportedState {
  const state = started();
  state.parked(PARKED);
  return state;
}

describe('a row of a batch reports a park', () => {
  it('as fresh in the run that started the row, also with its next reason and when that run asks', () => {
    const state = parkedInRun1();
    expect(state.news()).toEqual({ end: PARKED, isFresh: true });
    state.asked('run-1');
    state.parked(OTHER);
    expect(state.news()).toEqual({ end: OTHER, isFresh: true });
  });

  it('as not fresh to a later run, also with its next reason', () => {
    const state = parkedInRun1();
    state.asked('run-2');
    expect(state.news()).toEqual({ end: PARKED });
    state.parked(OTHER);
    expect(state.news()).toEqual({ end: OTHER });
  });

  it('as fresh to a later run if it parks after that run has asked', () => {
    const state = started();
    state.asked('run-2');
    expect(state.news()).toEqual({ end: null });
    state.parked(PARKED);
    expect(state.news()).toEqual({ end: PARKED, isFresh: true });
  });

  it('as fresh to a later run if it has resumed since, although the batch may hear only of the second park', () => {
    const state = parkedInRun1();
    state.asked('run-2');
    state.resumed();
    state.parked(PARKED);
    expect(state.news()).toEqual({ end: PARKED, isFresh: true });
  });
});

describe('a parked row that continues as new', () => {
  it('is still fresh for the run in which it was parked', () => {
    const state = nextHistory(nextHistory(parkedInRun1()));
    expect(state.news()).toEqual({ end: null });
    state.parked(PARKED);
    expect(state.news()).toEqual({ end: PARKED, isFresh: true });
  });

  it('is not fresh for a later run that asks before the new history has parked it', () => {
    const state = nextHistory(parkedInRun1());
    state.asked('run-2');
    state.parked(PARKED);
    expect(state.news()).toEqual({ end: PARKED });
  });

  it('is not fresh for a later run that asked before', () => {
    const before = parkedInRun1();
    before.asked('run-2');
    const state = nextHistory(nextHistory(before));
    state.asked('run-2');
    state.parked(PARKED);
    expect(state.news()).toEqual({ end: PARKED });
  });

  it('is fresh again once it has resumed', () => {
    const before = parkedInRun1();
    before.asked('run-2');
    const state = nextHistory(before);
    state.parked(PARKED);
    state.resumed();
    expect(nextHistory(state).carried()).toEqual({ lastRun: 'run-2' });
    state.parked(PARKED);
    expect(state.news()).toEqual({ end: PARKED, isFresh: true });
  });
});

describe('a row of a batch', () => {
  it('reports an end without a mark of its park', () => {
    const state = parkedInRun1();
    const end: RowOutcome = { ...PARKED, state: 'completed', reason: null, parkedFor: null };
    state.ended(end);
    expect(state.news()).toEqual({ end });
  });

  it('tries again only when a later run asks', () => {
    const state = parkedInRun1();
    state.asked('run-1');
    expect(state.isAskedAnew()).toBe(false);
    state.asked('run-2');
    state.asked('run-2');
    expect(state.isAskedAnew()).toBe(true);
    state.parked(PARKED);
    expect(state.isAskedAnew()).toBe(false);
  });
});
