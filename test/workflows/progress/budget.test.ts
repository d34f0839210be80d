import fc from 'fast-check';
import { type OpenSending, type ProductionSpending, type Reservation } from '../../../contracts/money/budget';
import { type TaskKind } from '../../../contracts/money/price-estimate';
import { BudgetAccount } from '../../../workflows/progress/budget';

const reservation = (takeKey: string, changes: Partial<Reservation> = {}): Reservation => ({
  shotId: takeKey,
  takeKey,
  sending: 1,
  kind: 'beta 480p',
  units: 4,
  quoted: 20,
  ...changes,
});
const UNPRICED = { quoted: null };
const HD: TaskKind = { model: 'beta', resolution: '720p', unit: 'second' };
const FULL_HD: TaskKind = { ...HD, resolution: '1080p' };

describe('the account of a budget', () => {
  it('allows tasks that fit, and says for the others what they need and what is left', () => {
    const account = new BudgetAccount(50);
    for (const take of ['a', 'b', 'c']) account.ask(reservation(take));
    expect(account.allow().map(({ takeKey }) => takeKey)).toEqual(['a', 'b']);
    expect(account.waitsFor(reservation('c'))).toBe('it needs 20 credits, and 10 of 50 credits are left');
    expect(account.figures()).toEqual({ credits: 50, spent: 0, reserved: 40, unclear: 0 });
  });

  it('allows more when a task is charged less than was reserved', () => {
    const account = new BudgetAccount(50);
    for (const take of ['a', 'b', 'c']) account.ask(reservation(take));
    account.allow();
    account.note({ takeKey: 'a', state: 'completed', credits: 9 });
    expect(account.allow()).toMatchObject([{ takeKey: 'c' }]);
    expect(account.figures()).toMatchObject({ spent: 9, reserved: 40 });
  });

  it('keeps the order of requests: a smaller task does not overtake one that does not fit', () => {
    const account = new BudgetAccount(30);
    account.ask(reservation('large', { units: 8, quoted: 40 }));
    account.ask(reservation('small'));
    expect(account.allow()).toEqual([]);
    expect(account.waitsFor(reservation('small'))).toContain('"large" asked before');
    account.withdraw(reservation('large'));
    expect(account.allow()).toMatchObject([{ takeKey: 'small' }]);
  });

  it('lets one task of an unknown price go first, alone, and prices the others by its charge', () => {
    const account = new BudgetAccount(100);
    for (const take of ['a', 'b', 'c']) account.ask(reservation(take, UNPRICED));
    expect(account.allow()).toMatchObject([{ takeKey: 'a' }]);
    expect(account.figures()).toMatchObject({ reserved: 100 });
    account.setCredits(200);
    expect(account.allow()).toEqual([]);
    account.note({ takeKey: 'a', state: 'completed', credits: 80 });
    expect(account.allow()).toMatchObject([{ takeKey: 'b' }]);
    expect(account.waitsFor(reservation('c'))).toBe('it needs 80 credits, and 40 of 200 credits are left');
  });

  it('lets another task of unknown price go first if the first one is overdue and the budget is raised', () => {
    const account = new BudgetAccount(100);
    account.ask(reservation('a', { ...UNPRICED, shotId: 'film' }));
    account.allow();
    account.note({ takeKey: 'a', state: 'rendering', credits: null }, true);
    account.ask(reservation('b', { ...UNPRICED, shotId: 'film' }));
    account.setCredits(150);
    expect(account.allow()).toEqual([]);
    expect(account.waitsFor(reservation('b'))).toContain('the task of "film" goes first');
    account.note({ takeKey: 'a', state: 'rendering', credits: null });
    expect(account.allow()).toMatchObject([{ takeKey: 'b' }]);
    expect(account.figures()).toMatchObject({ reserved: 150 });
  });

  it('does not wait for the charge of a task that only the ledger knows, unless a shot holds it', () => {
    const account = new BudgetAccount(100);
    const left = { ...reservation('old', UNPRICED), standing: 'sent' } as const;
    account.load({ old: { charged: 0, chargedTakes: [], open: [left] } });
    account.ask(reservation('b', UNPRICED));
    account.ask(reservation('c', UNPRICED));
    expect(account.waitsFor(reservation('b'))).toBe(
      'nobody knows its price, and 100 of 100 credits are held for "old" until the price is known',
    );
    account.setCredits(150);
    account.hold(left);
    expect(account.allow()).toEqual([]);
    account.note({ takeKey: 'old', state: 'rendering', credits: null });
    expect(account.allow()).toMatchObject([{ takeKey: 'b' }]);
  });

  it('holds back a task that may not fit by the price of another resolution, and names that resolution', () => {
    const account = new BudgetAccount(500);
    account.load({ drafts: { charged: 440, chargedTakes: [], open: [], rates: [{ kind: HD, credits: 8 }] } });
    const retake = reservation('retake', { ...UNPRICED, kind: 'full hd', taskKind: FULL_HD });
    account.ask(retake);
    expect(account.allow()).toEqual([]);
    expect(account.waitsFor(retake)).toBe(
      'it may need 72 credits, estimated by 8 credits a second at 720p, and 60 of 500 credits are left',
    );
    account.setCredits(512);
    expect(account.allow()).toMatchObject([{ takeKey: 'retake' }]);
    expect(account.figures()).toMatchObject({ reserved: 72 });
  });

  it('uses the higher of its own estimate and that of the quote', () => {
    const account = new BudgetAccount(100);
    account.load({ drafts: { charged: 0, chargedTakes: [], open: [], rates: [{ kind: HD, credits: 1 }] } });
    const from = { resolution: '480p', unit: 'second', credits: 5 } as const;
    account.ask(reservation('a', { ...UNPRICED, taskKind: FULL_HD, estimate: { credits: 90, from } }));
    account.allow();
    expect(account.figures()).toMatchObject({ reserved: 90 });
  });

  it('sends one task of an estimated price first, and prices the others by its charge', () => {
    const account = new BudgetAccount(200);
    account.ask(reservation('draft', { kind: 'hd', taskKind: HD, quoted: 32 }));
    account.allow();
    account.note({ takeKey: 'draft', state: 'completed', credits: 32 });
    for (const take of ['a', 'b']) account.ask(reservation(take, { ...UNPRICED, kind: 'full hd', taskKind: FULL_HD }));
    expect(account.allow()).toMatchObject([{ takeKey: 'a' }]);
    expect(account.figures()).toMatchObject({ spent: 32, reserved: 72 });
    expect(account.waitsFor(reservation('b'))).toContain('the task of "a" goes first, and its charge is the price');
    account.note({ takeKey: 'a', state: 'completed', credits: 64 });
    expect(account.allow()).toMatchObject([{ takeKey: 'b' }]);
    expect(account.figures()).toMatchObject({ spent: 96, reserved: 64 });
  });

  it('sends only one task of unknown price at a time, even of different models and after a raise', () => {
    const account = new BudgetAccount(100);
    account.ask(reservation('film', { ...UNPRICED, taskKind: HD }));
    account.ask(reservation('poster', { ...UNPRICED, kind: 'poster', taskKind: { ...HD, model: 'poster' } }));
    expect(account.allow()).toMatchObject([{ takeKey: 'film' }]);
    expect(account.figures()).toMatchObject({ spent: 0, unpriced: { credits: 100, shots: ['film'] } });
    account.setCredits(200);
    expect(account.allow()).toEqual([]);
    expect(account.waitsFor(reservation('poster'))).toContain(
      'the task of "film", whose price is also unknown, goes first',
    );
    account.note({ takeKey: 'film', state: 'completed', credits: 20 });
    expect(account.allow()).toMatchObject([{ takeKey: 'poster' }]);
  });

  it('does not use the charge of a failed task as a price', () => {
    const account = new BudgetAccount(100);
    for (const take of ['a', 'b', 'c']) account.ask(reservation(take, UNPRICED));
    account.allow();
    account.note({ takeKey: 'a', state: 'failed', credits: 0 });
    expect(account.allow()).toMatchObject([{ takeKey: 'b' }]);
  });

  it('reserves by the highest known charge, also for tasks under way', () => {
    const account = new BudgetAccount(100);
    for (const take of ['a', 'b', 'c', 'd']) account.ask(reservation(take));
    account.allow();
    account.note({ takeKey: 'a', state: 'completed', credits: 28 });
    expect(account.figures()).toMatchObject({ spent: 28, reserved: 84 });
  });

  it.each([
    ['unclear', { state: 'unclear', credits: null }, 20],
    ['failed and nobody says at what price', { state: 'failed', credits: null }, 0],
    ['completed and nobody says at what price', { state: 'completed', credits: null }, 0],
  ] as const)('keeps the reservation of a take that is %s', (_, news, unclear) => {
    const account = new BudgetAccount(30);
    account.ask(reservation('a'));
    account.allow();
    account.note({ takeKey: 'a', ...news });
    account.ask(reservation('b'));
    expect(account.allow()).toEqual([]);
    expect(account.figures()).toEqual({ credits: 30, spent: 0, reserved: 20, unclear });
    account.setCredits(40);
    expect(account.allow()).toMatchObject([{ takeKey: 'b' }]);
  });

  it('counts an unclear take once more if it is resent, and settles one of the two by a charge', () => {
    const account = new BudgetAccount(50);
    account.ask(reservation('a'));
    account.allow();
    account.note({ takeKey: 'a', state: 'unclear', credits: null });
    account.ask(reservation('a', { sending: 2 }));
    account.allow();
    expect(account.figures()).toMatchObject({ reserved: 40, unclear: 20 });
    account.note({ takeKey: 'a', state: 'completed', credits: 20 });
    account.note({ takeKey: 'a', state: 'completed', credits: 20 });
    expect(account.figures()).toMatchObject({ spent: 20, reserved: 20, unclear: 20 });
  });

  it('frees the permits that a closed shot did not use, by its ledger', () => {
    const account = new BudgetAccount(50);
    account.ask(reservation('a'));
    account.ask(reservation('a2', { shotId: 'a' }));
    account.ask(reservation('b'));
    account.allow();
    account.closeShot('a', { charged: 12, chargedTakes: [], open: [] });
    expect(account.figures()).toMatchObject({ spent: 12, reserved: 0 });
    expect(account.allow()).toMatchObject([{ takeKey: 'b' }]);
  });

  it('starts from the ledger: charges and open charges, those without a price last', () => {
    const account = new BudgetAccount(100);
    const open = (key: string, changes: Partial<OpenSending> = {}): OpenSending => ({
      ...reservation(key),
      standing: 'sent',
      ...changes,
    });
    account.load({
      first: { charged: 10, chargedTakes: [], open: [open('x', { kind: 'other', ...UNPRICED, standing: 'unclear' })] },
      second: { charged: 0, chargedTakes: ['y'], open: [open('y')] },
    });
    expect(account.figures()).toEqual({
      ...{ credits: 100, spent: 10, reserved: 90, unclear: 70 },
      unpriced: { credits: 70, shots: ['x'] },
    });
    account.note({ takeKey: 'y', state: 'completed', credits: 20 });
    expect(account.figures()).toMatchObject({ spent: 10 });
  });

  it('adds decimals without rounding noise', () => {
    const account = new BudgetAccount(0.3);
    account.ask(reservation('a', { quoted: 0.1 }));
    account.ask(reservation('b', { quoted: 0.2 }));
    expect(account.allow()).toHaveLength(2);
  });
});

/**
 * Credits per unit. Quotes know the highest of `varies` and of `hd`, but not `unknown`, which is always charged
 * the same, and of `full hd`, which has 2.25 times the pixels of `hd`.
 */
const RATES: Readonly<Record<string, number>> = { varies: 5, free: 0, unknown: 3, hd: 4, 'full hd': 8 };
const KINDS: Readonly<Record<string, TaskKind>> = { hd: HD, 'full hd': FULL_HD };
const UNQUOTED = new Set(['unknown', 'full hd']);

/** Shots that request permits and a gateway that charges them, with events in any order. */
class Course {
  bound: number;
  readonly account: BudgetAccount;
  readonly asked: string[] = [];
  readonly allowed: string[] = [];
  /** All that the gateway has charged, reported or not. */
  charged = 0;
  /** The amount by which tasks of unknown price that went first exceeded what was left. */
  beyond = 0;
  #underWay: Reservation[] = [];
  #unclear: Reservation[] = [];

  constructor(credits: number) {
    this.bound = credits;
    this.account = new BudgetAccount(credits);
  }

  /** Most that the gateway may have charged when all that is under way has ended. */
  most(): number {
    return this.charged + this.#underWay.reduce((total, one) => total + priceOf(one), 0);
  }

  step(what: string, pick: number, units: number, kind: string, share: number): void {
    const one = this.#underWay[pick % Math.max(1, this.#underWay.length)];
    if (what === 'ask') {
      const quoted = UNQUOTED.has(kind) ? null : (RATES[kind] ?? 0) * units;
      const taskKind = KINDS[kind];
      const known = { kind, units, quoted, ...(taskKind === undefined ? {} : { taskKind }) };
      if (this.#underWay.length < 6) this.#ask(reservation(`take-${this.asked.length}`, known));
    } else if (what === 'raise') {
      this.account.setCredits((this.bound += units * 10));
    } else if (what === 'resubmit') {
      const unclear = this.#unclear.pop();
      if (unclear !== undefined) this.#ask({ ...unclear, sending: unclear.sending + 1 });
    } else if (one !== undefined) {
      this.#underWay = this.#underWay.filter((other) => other !== one);
      this.#end(what, one, one.kind === 'varies' ? share : 1);
    }
    this.#allow();
  }

  /** A person who raises the budget often enough sees all of it rendered. */
  finish(): void {
    for (let rounds = this.asked.length; rounds > 0; rounds -= 1) {
      this.account.setCredits((this.bound += 1_000));
      this.#allow();
      for (const one of this.#underWay.splice(0)) this.#end('complete', one, 1);
    }
  }

  #ask(one: Reservation): void {
    this.asked.push(keyOf(one));
    this.account.ask(one);
  }

  #allow(): void {
    const { credits, spent, reserved } = this.account.figures()!;
    let left = credits - spent - reserved;
    const allowed = this.account.allow();
    this.allowed.push(...allowed.map(keyOf));
    this.#underWay.push(...allowed);
    for (const one of allowed) {
      if (one.kind === 'unknown') this.beyond += Math.max(0, priceOf(one) - left);
      left = Math.max(0, left - priceOf(one));
    }
  }

  #end(what: string, one: Reservation, share: number): void {
    const { takeKey } = one;
    const credits = priceOf(one) * share;
    if (what === 'refuse') this.account.withdraw(one);
    else this.charged += credits;
    // A take that has ended is not sent again.
    if (what !== 'refuse' && what !== 'unclear')
      this.#unclear = this.#unclear.filter((other) => other.takeKey !== takeKey);
    if (what === 'complete') this.account.note({ takeKey, state: 'completed', credits });
    if (what === 'fail') this.account.note({ takeKey, state: 'failed', credits });
    if (what === 'fail-unpriced') this.account.note({ takeKey, state: 'failed', credits: null });
    if (what === 'unclear') {
      this.account.note({ takeKey, state: 'unclear', credits: null });
      this.#unclear.push(one);
    }
  }
}

function priceOf({ kind, units }: Reservation): number {
  return (RATES[kind] ?? 0) * units;
}

function keyOf({ takeKey, sending }: Reservation): string {
  return `${takeKey}/${sending}`;
}

describe('whatever the order of events, the account of a budget', () => {
  const WHAT = [
    'ask',
    'ask',
    'ask',
    'complete',
    'complete',
    'fail',
    'fail-unpriced',
    'unclear',
    'resubmit',
    'refuse',
    'raise',
  ];
  const coursesOf = (kinds: readonly string[]): fc.Arbitrary<[number, [string, number, number, string, number][]]> =>
    fc.tuple(
      fc.integer({ min: 0, max: 400 }),
      fc.array(
        fc.tuple(
          fc.constantFrom(...WHAT),
          fc.nat(1_000),
          fc.integer({ min: 1, max: 10 }),
          fc.constantFrom(...kinds),
          fc.double({ min: 0, max: 1, noNaN: true }),
        ),
        { minLength: 20, maxLength: 200 },
      ),
    );
  const NOISE = 1e-6;

  it('never lets the gateway charge more than the budget if nothing costs more than its quote', () => {
    fc.assert(
      fc.property(coursesOf(['varies', 'free']), ([credits, events]) => {
        const course = new Course(credits);
        for (const event of events) {
          course.step(...event);
          expect(course.most()).toBeLessThanOrEqual(course.bound + NOISE);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("is not exceeded by unquoted tasks either, if the model's price at another resolution is known", () => {
    fc.assert(
      fc.property(coursesOf(['varies', 'hd', 'full hd']), ([credits, events]) => {
        const course = new Course(credits);
        course.account.load({ old: { charged: 0, chargedTakes: [], open: [], rates: [{ kind: HD, credits: 4 }] } });
        for (const event of events) {
          course.step(...event);
          expect(course.most()).toBeLessThanOrEqual(course.bound + NOISE);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is exceeded by at most the cost of the one task that goes first if no price is known', () => {
    fc.assert(
      fc.property(coursesOf(['varies', 'free', 'unknown']), ([credits, events]) => {
        const course = new Course(credits);
        for (const event of events) {
          course.step(...event);
          expect(course.most()).toBeLessThanOrEqual(course.bound + course.beyond + NOISE);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('allows in the order of requests, gives each waiting task a reason, and serves all once it is raised', () => {
    fc.assert(
      fc.property(coursesOf(['varies', 'free', 'unknown']), ([credits, events]) => {
        const course = new Course(credits);
        for (const event of events) {
          course.step(...event);
          expect(course.allowed).toEqual(course.asked.slice(0, course.allowed.length));
        }
        for (const key of course.asked.slice(course.allowed.length)) {
          const [takeKey = '', sending] = key.split('/');
          expect(course.account.waitsFor({ takeKey, sending: Number(sending) })).not.toBeNull();
        }
        course.finish();
        expect(course.allowed).toEqual(course.asked);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same however often it is loaded', () => {
    const spending: ProductionSpending = { a: { charged: 5, chargedTakes: [], open: [] } };
    const account = new BudgetAccount(10);
    account.load(spending);
    account.load(spending);
    expect(account.figures()).toMatchObject({ spent: 5 });
  });
});
