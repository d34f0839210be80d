import { seededRandom, type Random } from '../random';
import { FAULTS, type AnyFault, type Fault, type FaultName, type Place, type Places } from './fault-table';
import { Injection } from './injection';

/** The faults that the sandbox starts with. A share is the probability that the fault strikes, 0 to 1. Default 0. */
export interface FaultOptions {
  readonly shares?: Readonly<Partial<Record<FaultName, number>>>;
  /** Share of `task-fails`. */
  readonly failedShare?: number;
  /** Share of `refuse-429`. */
  readonly throttledShare?: number;
  /** Share of `refuse-500`. */
  readonly errorShare?: number;
  /** Delay of `slow`. */
  readonly slowAnswerMs?: number;
  /** Share of `slow`; applies only if `slowAnswerMs` is set. Default 1. */
  readonly slowAnswerShare?: number;
  /** The same seed draws the same faults for requests in the same order. Default 1. */
  readonly seed?: number;
}

/** Injects and removes faults while the sandbox runs. */
export interface FaultControl {
  /**
   * @returns a function that removes the injection.
   * @throws z.ZodError for an invalid injection.
   */
  inject(injection: Injection): () => void;
  /** Removes all faults, including those from the options. Accepted tasks still end as decided at acceptance. */
  clear(): void;
  /** The injections that can still strike, with their remaining counts. */
  armed(): readonly Injection[];
  /** How often each fault has struck. */
  struck(): Readonly<Partial<Record<FaultName, number>>>;
}

/** A fault that was drawn for a target; `make` carries it out. */
export interface Strike<At extends Place> {
  readonly name: FaultName;
  readonly make: () => ReturnType<Fault<At>['strike']>;
}

export interface Faults extends FaultControl {
  /**
   * The faults that strike a target, in the order of `FAULTS`. A fault counts as used when the caller takes the fault
   * from the iterator.
   */
  strikes<At extends Place>(at: At, target: Places[At]['target']): Iterable<Strike<At>>;
  /** Carries out the faults that strike, until one returns an outcome. Undefined if none returns an outcome. */
  outcome<At extends Place>(at: At, target: Places[At]['target']): Promise<Places[At]['outcome'] | undefined>;
}

interface ArmedInjection {
  readonly injection: Injection;
  /** How often the injection may still strike. */
  remaining: number;
}

/**
 * Makes the sandbox's faults. Each fault draws from its own random generator, so a changed share does not affect the
 * draws of other faults.
 *
 * @throws z.ZodError for invalid options.
 */
export function createFaults(options: FaultOptions = {}): Faults {
  const names = Object.keys(FAULTS) as FaultName[];
  const generators = new Map(names.map((name): [FaultName, Random] => [name, seededRandom(name, options.seed ?? 1)]));
  const struck = new Map<FaultName, number>();
  let armed: readonly ArmedInjection[] = [];

  function inject(given: Injection): () => void {
    const injection = Injection.parse(given);
    const remaining = injection.count ?? (injection.share === undefined ? 1 : Number.POSITIVE_INFINITY);
    const entry: ArmedInjection = { injection, remaining };
    armed = [...armed, entry].sort(
      (one, other) => names.indexOf(one.injection.kind) - names.indexOf(other.injection.kind),
    );
    return () => {
      remove(entry);
    };
  }

  function remove(entry: ArmedInjection): void {
    entry.remaining = 0;
    armed = armed.filter((other) => other !== entry);
  }

  function isDrawn({ kind, share }: Injection): boolean {
    return share === undefined || (generators.get(kind)?.() ?? 1) < share;
  }

  function* strikes<At extends Place>(at: At, target: Places[At]['target']): Generator<Strike<At>> {
    // Draw for all faults first: the caller may stop at the first fault that strikes, and the later faults would then
    // skip a draw.
    const drawn = armed.flatMap((entry) => {
      const fault: AnyFault = FAULTS[entry.injection.kind];
      return strikesAt(fault, at) && matches(entry.injection, fault, target) && isDrawn(entry.injection)
        ? [{ entry, fault }]
        : [];
    });
    for (const { entry, fault } of drawn) {
      // Another request may have used up the injection since the draw.
      if (entry.remaining < 1) continue;
      entry.remaining -= 1;
      if (entry.remaining === 0) remove(entry);
      const { kind, seconds = fault.seconds ?? 0 } = entry.injection;
      struck.set(kind, (struck.get(kind) ?? 0) + 1);
      yield { name: kind, make: () => fault.strike(target, seconds) };
    }
  }

  for (const injection of injectionsOf(options)) inject(injection);
  return {
    inject,
    strikes,
    async outcome(at, target) {
      for (const { make } of strikes(at, target)) {
        const outcome = await make();
        if (outcome !== undefined) return outcome;
      }
      return undefined;
    },
    clear() {
      for (const entry of armed) entry.remaining = 0;
      armed = [];
    },
    armed: () =>
      armed.map(({ injection, remaining }) =>
        Number.isFinite(remaining) ? { ...injection, count: remaining } : injection,
      ),
    struck: () => Object.fromEntries(struck),
  };
}

function strikesAt<At extends Place>(fault: AnyFault, at: At): fault is AnyFault & Fault<At> {
  return fault.at === at;
}

function matches<At extends Place>({ on }: Injection, fault: Fault<At>, target: Places[At]['target']): boolean {
  const isOfKind = on === undefined || (target !== null && 'on' in target && target.on === on);
  return isOfKind && (fault.when?.(target) ?? true);
}

function injectionsOf(options: FaultOptions): readonly Injection[] {
  const { shares = {}, failedShare = 0, throttledShare = 0, errorShare = 0 } = options;
  const { slowAnswerMs = 0, slowAnswerShare = 1 } = options;
  const all: readonly Injection[] = [
    ...Object.entries(shares).map(([kind, share]) => ({ kind: kind as FaultName, share })),
    { kind: 'task-fails', share: failedShare },
    { kind: 'refuse-429', share: throttledShare },
    { kind: 'refuse-500', share: errorShare },
    { kind: 'slow', share: slowAnswerMs > 0 ? slowAnswerShare : 0, seconds: slowAnswerMs / 1000 },
  ];
  return all.filter(({ share }) => share !== 0);
}
