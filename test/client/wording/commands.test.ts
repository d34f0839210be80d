import {
  againCommand,
  choiceWays,
  inStore,
  manifestOf,
  renderCommand,
  resolveCommand,
  resolveWays,
  reviewCommand,
  reviewInWords,
  reviewWays,
  takesToChoose,
  waitsForPeople,
  waitsSince,
} from '../../../client';
import { takesInWords } from '../../../contracts/commands';
import { type ParkedFor } from '../../../contracts/render/decision';
import { GENERATIONS } from '../../../contracts/identifiers';
import { type ManifestShot } from '../../../contracts/manifest';
import { type ShotState } from '../../../contracts/states';
import { type ProductionStatus, type ShotStatus } from '../../../contracts/status';
import { newStore } from '../../books/store-with-takes';
import { AT, FROZEN, intent, sent, settled } from '../../support/ledger-fixtures';
import { betaShot, film, planOf } from '../../support/rig';
import { createOutFolders } from '../../../client/records/out-folders';

const LATER = '2026-01-01T01:00:00.000Z';

describe('a production that only people can continue', () => {
  const status = (states: readonly ShotState[], changes: Partial<ProductionStatus> = {}): ProductionStatus =>
    ({
      state: 'running',
      assembly: 'waiting',
      shots: states.map((state) => ({ state, review: null })),
      ...changes,
    }) as ProductionStatus;

  it('is one whose shots are parked, have ended, or wait for such shots', () => {
    expect(waitsForPeople(status(['completed', 'parked', 'pending']))).toBe(true);
    expect(waitsForPeople(status(['parked', 'rendering']))).toBe(false);
    expect(waitsForPeople(status(['completed', 'pending']))).toBe(false);
    expect(waitsForPeople(status(['parked'], { state: 'incomplete' }))).toBe(false);
  });

  it('is a paused one without unfinished tasks at the gateway', () => {
    const paused = { reason: 'by hand', since: AT };
    const withTakes = (...takes: readonly (string | null)[]): Partial<ProductionStatus> =>
      ({
        paused,
        shots: takes.map((state) => ({ state: 'rendering', review: null, takes: state === null ? [] : [{ state }] })),
      }) as unknown as Partial<ProductionStatus>;
    expect(waitsForPeople(status([], withTakes(null, 'failed')))).toBe(true);
    expect(waitsForPeople(status([], withTakes(null, 'rendering')))).toBe(false);
    expect(waitsForPeople(status(['completed', 'pending'], { paused }))).toBe(true);
    expect(waitsForPeople(status([], { ...withTakes(null), state: 'completed' }))).toBe(false);
  });

  it('is one with a shot in review, once no other take of it is under way', () => {
    const review = (takesUnderWay: number) =>
      status([], { shots: [{ state: 'review', review: { since: AT, takesUnderWay } }] as unknown as ShotStatus[] });
    expect(waitsForPeople(review(0))).toBe(true);
    expect(waitsForPeople(review(1))).toBe(false);
  });

  it('names the takes to approve, since another one may be chosen when the command is typed', () => {
    const takes = [3, 1, 2].map((take) => ({ take, state: take === 2 ? 'failed' : 'completed' }));
    const shot = { id: 'dawn', takes, filmTake: 1 } as unknown as ShotStatus;
    expect(reviewCommand('film', shot)).toContain('dailies approve film dawn --take 1|3 |');
    expect(reviewCommand('film', { ...shot, takes: shot.takes.slice(1, 2) })).toContain('film dawn --take 1 |');
    expect(reviewWays('film', shot).map(({ command }) => command)).toEqual([
      'dailies approve film dawn --take 1',
      'dailies approve film dawn --take 3',
      'dailies reject film dawn --prompt TEXT',
    ]);
  });

  it('is none that only the store knows: its worker may be about to continue', () => {
    expect(waitsForPeople(status(['parked'], { fromStore: true }))).toBe(false);
  });
});

describe('a parked shot', () => {
  it.each<[ParkedFor, string, RegExp]>([
    ['unclear', 'dailies resolve film dawn --adopt TASK_ID', /costs nothing more/],
    ['overdue', 'dailies resolve film dawn --wait', /more time/],
    ['budget', 'dailies budget film --credits M', /more credits/],
    ['credits', 'dailies resolve film dawn --resubmit', /once the account has credits/],
  ])('that is %s has its commands listed, one a line, the usual one first', (parkedFor, command, means) => {
    const ways = resolveWays('film', 'dawn', parkedFor);
    expect(ways[0]).toEqual({ command, means: expect.stringMatching(means) });
    expect(ways.map((way) => way.command)).toContain('dailies resolve film dawn --skip');
    for (const way of ways) expect(way.command).not.toContain('|');
  });

  it('names the take if several are parked, each with the answers that it accepts', () => {
    const takes = [
      { take: 1, for: 'unclear' },
      { take: 2, for: 'budget' },
      { take: 3, for: 'unclear' },
    ] as const;
    const commands = resolveWays('film', 'dawn', 'unclear', takes).map(({ command }) => command);
    expect(commands).toContain('dailies resolve film dawn --take 1 --adopt TASK_ID');
    expect(commands).toContain('dailies resolve film dawn --take 3 --resubmit');
    expect(commands).toContain('dailies budget film --credits M');
    expect(commands).not.toContain('dailies resolve film dawn --take 2 --adopt TASK_ID');
    expect(new Set(commands).size).toBe(commands.length);
    expect(resolveCommand('film', 'dawn', 'unclear', takes)).toContain('dailies resolve film dawn --take 1|3 --adopt');
    expect(resolveCommand('film', 'dawn', 'budget', takes)).toBe('dailies budget film --credits M');
  });
});

describe('a shot that was left without a take', () => {
  const take = { state: 'completed', pruned: null, asset: {} };
  const shot = {
    state: 'failed',
    takes: [
      { ...take, take: 1 },
      { ...take, take: 2, asset: null },
      { ...take, take: 3, asset: null, pruned: AT },
      { ...take, take: 4, state: 'failed', asset: null },
    ],
  } as unknown as ManifestShot;

  it('lists the takes that can be chosen, and that another can be made', () => {
    expect(takesToChoose(shot)).toEqual([1, 3]);
    expect(takesToChoose({ ...shot, state: 'skipped' })).toEqual([1, 3]);
    expect(takesToChoose({ ...shot, state: 'completed' })).toEqual([]);
    expect(choiceWays('film', 'dawn', [1, 3]).map(({ command }) => command)).toEqual([
      'dailies choose film dawn 1',
      'dailies choose film dawn 3',
      'dailies retake film dawn --prompt TEXT',
    ]);
  });
});

describe('a review with a limit', () => {
  it('says when and how it is decided automatically', () => {
    expect(reviewInWords({ since: AT, until: LATER, otherwise: 'approve' })).toMatch(
      new RegExp(`since ${AT}; from ${LATER} on, the chosen take is approved automatically`),
    );
    expect(reviewInWords({ since: AT, until: LATER, otherwise: 'skip' })).toContain(
      'the shot is left out automatically',
    );
    expect(reviewInWords({ since: AT, until: null, otherwise: null })).toBe(`for your approval since ${AT}`);
  });

  it('has its limit in the manifest, from the plan of the running production', async () => {
    const store = await newStore();
    const production = film('film', [betaShot('a'), betaShot('b'), betaShot('c')]);
    const reviews = [{ withinSeconds: 3_600, otherwise: 'skip' }, { withinSeconds: null, otherwise: 'approve' }, null];
    const { shots, ...plan } = planOf(production, {});
    const frozen = await store.putJson(production);
    const reviewed = shots.map((one, index) => ({ ...one, review: reviews[index] }));
    const basis = { plan: await store.putJson({ ...plan, shots: reviewed }) };
    const waiting = { state: 'review', review: { since: AT, takesUnderWay: 0 }, takes: [], parked: null, reason: null };
    const own = shots.map(({ id }) => ({ ...waiting, id, ...(id === 'c' ? { state: 'pending', review: null } : {}) }));
    const status = { production: 'film', state: 'running', frozen, basis, shots: own, film: null };
    const manifest = await manifestOf(store, 'sandbox', status as unknown as ProductionStatus, inStore(store));
    expect(manifest.shots.map(({ review }) => review)).toMatchObject([
      { since: AT, until: LATER, otherwise: 'skip' },
      { since: AT, until: null, otherwise: null },
      null,
    ]);
  });
});

describe('a parked take', () => {
  const take = {
    take: 1,
    intent: intent(),
    sendings: [{ n: 1, sent: sent(), accepted: { taskId: 'task-1', at: AT } }],
    decisions: [],
  };

  it('waits since its newest ledger record, an overdue one since its deadline after that', () => {
    expect(waitsSince(take, 'overdue', 900)).toBe('2026-01-01T00:15:00.000Z');
    expect(waitsSince({ ...take, settled: { ...settled('failed'), at: LATER } }, 'failed', 900)).toBe(LATER);
    const wait = { kind: 'wait', by: 'person', afterSending: 1, at: LATER } as const;
    expect(waitsSince({ ...take, decisions: [wait] }, 'overdue', 900)).toBe('2026-01-01T01:15:00.000Z');
  });
});

describe('the command that continues a production', () => {
  it('quotes the file for the shell, and names flags if there is no file', () => {
    expect(renderCommand('film', '/my films/film.yaml')).toBe("dailies render '/my films/film.yaml' --id film");
    expect(renderCommand('film', undefined)).toBe('dailies render FILE --id film');
    expect(renderCommand(GENERATIONS, undefined)).toContain('dailies generate');
  });

  it('continues the batch of a production that is a row', async () => {
    const store = await newStore();
    await store.batches.noteSource('shop', { path: '/films/shop.csv', account: 'sandbox', at: AT });
    await store.productions.begin('shop.cup', {
      ...{ renderId: 'render-1', production: FROZEN, account: 'sandbox', at: AT, batch: 'shop' },
    });
    const again = await againCommand(store, { what: 'production', id: 'shop.cup' });
    expect(again).toBe(await againCommand(store, { what: 'batch', id: 'shop' }));
    expect(again).toBe('dailies batch /films/shop.csv --id shop');
  });

  it('names the folder if the export would go elsewhere without it', async () => {
    const store = await newStore();
    const places = createOutFolders(store);
    const production = { what: 'production', id: 'film' } as const;
    await store.outPlaces.noteFolder('film', await places.folderOf('film'));
    expect(await againCommand(store, production)).toBe('dailies render FILE --id film');
    await store.outPlaces.noteFolder('film', '/films/my film');
    expect(await againCommand(store, production)).toBe("dailies render FILE --id film --out '/films/my film'");
    expect(await places.folderOf('film')).toBe('/films/my film');
  });
});

describe('the takes that a message names', () => {
  it('are in order, whichever was reported first', () => {
    expect(takesInWords(new Map([1, 10, 3, 2].map((take) => [take, take])).keys())).toBe('1, 2, 3, 10');
    expect(takesInWords([])).toBe('none');
  });
});
