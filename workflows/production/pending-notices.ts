import { resolveCommand, reviewCommand } from '../../contracts/commands';
import type { CarriedWaits, NotedWait, WaitPace } from '../../contracts/render/carried-production';
import type { Wait, WaitType } from '../../contracts/notice';
import type { ProductionStatus } from '../../contracts/status';

/** Decides which waits are reported, and when. Calls no workflow API, so that tests need no server. */

/** Time after which a wait is reported: shorter waits end before anybody could look. */
const SETTLED_MS = 5_000;

/**
 * Replaces `SETTLED_MS` for a shot that waits for the budget while other takes may be charged: a charge below the
 * reserved credits may release the shot.
 */
const BUDGET_SETTLED_MS = 10 * 60_000;

/**
 * The first minimum gap between two notices of one type. The gap doubles with each notice, up to `LONGEST_GAP_MS`. It
 * is reset after `QUIET` gaps without a notice.
 */
const FIRST_GAP_MS = 10_000;
const LONGEST_GAP_MS = 10 * 60_000;
const QUIET = 4;

/** The waits of one type that one notice reports. */
export interface WaitReport {
  readonly type: WaitType;
  readonly waits: readonly Wait[];
  /** Names of the waits, sorted: `shot take reason n`. A later wait for the same reason has a higher `n`. */
  readonly what: readonly string[];
}

/** The waits of a production: one for each shot that is parked or in review. */
export function waitsOf({ production, shots }: ProductionStatus): readonly Wait[] {
  return shots.flatMap((shot): Wait[] => {
    const { id, parked, review } = shot;
    const take = Math.max(0, ...shot.takes.map((one) => one.take));
    if (parked !== null) {
      const { for: parkedFor, since, takes } = parked;
      const type = parkedFor === 'budget' ? 'production.over-budget' : 'production.parked';
      const command = resolveCommand(production, id, parkedFor, takes);
      return [{ type, take, shot: id, for: parkedFor, since, command }];
    }
    if (review === null) return [];
    const command = reviewCommand(production, shot);
    return [{ type: 'production.review', take, shot: id, for: 'review', since: review.since, command }];
  });
}

/** Whether work is under way whose charge may release a shot that waits for the budget. */
export function mayBeCharged({ shots }: Pick<ProductionStatus, 'shots'>): boolean {
  return shots.some(({ state, review }) => state === 'rendering' || (review !== null && review.takesUnderWay > 0));
}

type Noted = { -readonly [Field in keyof Omit<NotedWait, 'key'>]: NotedWait[Field] };

const NOTHING_CARRIED: CarriedWaits = { noted: [], counts: [], paces: [] };

/** A production's waits over time, and which of them were reported. */
export class WaitBook {
  #noted: Map<string, Noted>;
  /** Number of waits, by shot, take and reason. */
  readonly #counts: Map<string, number>;
  readonly #paces: Map<WaitType, WaitPace>;
  #mayBeCharged = false;

  constructor({ noted, counts, paces }: CarriedWaits = NOTHING_CARRIED) {
    this.#noted = new Map(noted.map(({ key, ...one }) => [key, one]));
    this.#counts = new Map(counts);
    this.#paces = new Map(paces);
  }

  /** The state that continue-as-new hands to the production's next history. */
  carried(): CarriedWaits {
    return {
      noted: [...this.#noted].map(([key, one]) => ({ key, ...one })),
      counts: [...this.#counts],
      paces: [...this.#paces],
    };
  }

  /** Replaces the known waits by the present ones. A wait that is over is not reported. */
  see(
    waits: readonly Wait[],
    { now, charging: isChargePossible }: { readonly now: number; readonly charging: boolean },
  ): void {
    this.#mayBeCharged = isChargePossible;
    const before = this.#noted;
    this.#noted = new Map(
      waits.map((wait) => {
        const key = [wait.type, wait.shot, wait.for, wait.since].join(' ');
        const known = before.get(key);
        // The command of the wait may name more takes than before.
        if (known !== undefined) return [key, Object.assign(known, { wait })];
        return [key, { wait, what: this.#nameOf(wait), seenMs: now, isTold: false }];
      }),
    );
  }

  /** The time at which the next report is due; undefined if every wait has been reported. */
  nextMs(): number | undefined {
    const dues = this.#untold().map((noted) => this.#dueMs(noted));
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Returns the due waits with all other unreported waits of the same types, and marks all of these as reported. */
  take(now: number): readonly WaitReport[] {
    const types = new Set(this.#untold().flatMap((noted) => (this.#dueMs(noted) <= now ? [noted.wait.type] : [])));
    return [...types].map((type) => {
      const told = this.#untold().filter(({ wait }) => wait.type === type);
      for (const noted of told) noted.isTold = true;
      this.#paces.set(type, { toldMs: now, gapMs: this.#nextGapMs(type, now) });
      return { type, waits: told.map(({ wait }) => wait), what: told.map(({ what }) => what).toSorted() };
    });
  }

  #untold(): readonly Noted[] {
    return [...this.#noted.values()].filter(({ isTold }) => !isTold);
  }

  #dueMs({ wait: { type }, seenMs }: Noted): number {
    const isLong = type === 'production.over-budget' && this.#mayBeCharged;
    const pace = this.#paces.get(type);
    return Math.max(
      seenMs + (isLong ? BUDGET_SETTLED_MS : SETTLED_MS),
      pace === undefined ? 0 : pace.toldMs + pace.gapMs,
    );
  }

  #nextGapMs(type: WaitType, now: number): number {
    const pace = this.#paces.get(type);
    if (pace === undefined || now - pace.toldMs > QUIET * pace.gapMs) return FIRST_GAP_MS;
    return Math.min(pace.gapMs * 2, LONGEST_GAP_MS);
  }

  #nameOf({ shot, take, for: waitsFor }: Wait): string {
    const name = `${shot} ${take} ${waitsFor}`;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${name} ${count}`;
  }
}
