import { seededRandom, type Random } from '../random';
import { FAULTS, type AnyFault, type Fault, type FaultName, type Place, type Places } from './fault-table';
import { Injection } from './injection';

/** The faults that the sandbox starts with. Shares range from 0 to 1; an absent fault does not strike. */
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
  /** Share of `slow`. Default 1 if `slowAnswerMs` is set. */
  readonly slowAnswerShare?: number;
  /** The same seed draws the same faults for requests in the same order. Default 1. */
  readonly seed?: number;
}

/** Injects and removes faults while the sandbox runs. */
export interface FaultControl {
  /**
   * @returns a function that withdraws what is left of the injection.
   * @throws z.ZodError for an invalid injection.
   */
  inject(injection: Injection): () => void;
  /** Removes all faults, including those from the start. The fates of accepted tasks stay. */
  clear(): void;
  /** The injections that are not used up, with their remaining counts. */
  armed(): readonly Injection[];
  /** How often each fault has struck. */
  struck(): Readonly<Partial<Record<FaultName, number>>>;
}

/** One fault that strikes; `make` carries it out. */
export interface Strike<At extends Place> {
  readonly name: FaultName;
  readonly make: () => ReturnType<Fault<At>['strike']>;
}

export interface Faults extends FaultControl {
  /**
   * The faults that strike in a scene, in the table's order. A fault is used up only when the caller takes it from the
   * iterator.
   */
  strikes<At extends Place>(at: At, scene: Places[At]['scene']): Iterable<Strike<At>>;
  /** Carries out the faults until one returns an outcome. */
  outcome<At extends Place>(at: At, scene: Places[At]['scene']): Promise<Places[At]['outcome'] | undefined>;
}

interface Order {
  readonly injection: Injection;
  /** How often it may still strike. */
  left: number;
}

/**
 * Makes the sandbox's faults. Each fault draws from its own generator, so changing one share does not affect the
 * others.
 */
export function createFaults(options: FaultOptions = {}): Faults {
  const names = Object.keys(FAULTS) as FaultName[];
  const generators = new Map(names.map((name): [FaultName, Random] => [name, seededRandom(name, options.seed ?? 1)]));
  const struck = new Map<FaultName, number>();
  let orders: readonly Order[] = [];

  function inject(wanted: Injection): () => void {
    const injection = Injection.parse(wanted);
    const left = injection.count ?? (injection.share === undefined ? 1 : Number.POSITIVE_INFINITY);
    const order: Order = { injection, left };
    orders = [...orders, order].sort(
      (one, other) => names.indexOf(one.injection.kind) - names.indexOf(other.injection.kind),
    );
    return () => {
      remove(order);
    };
  }

  function remove(order: Order): void {
    order.left = 0;
    orders = orders.filter((other) => other !== order);
  }

  function isDrawn({ kind, share }: Injection): boolean {
    return share === undefined || (generators.get(kind)?.() ?? 1) < share;
  }

  function* strikes<At extends Place>(at: At, scene: Places[At]['scene']): Generator<Strike<At>> {
    // Draw for all before the first strikes, so that each fault keeps its own sequence.
    const drawn = orders.flatMap((order) => {
      const fault: AnyFault = FAULTS[order.injection.kind];
      return strikesAt(fault, at) && fits(order.injection, fault, scene) && isDrawn(order.injection)
        ? [{ order, fault }]
        : [];
    });
    for (const { order, fault } of drawn) {
      // Another request may have used the last one since the draw.
      if (order.left < 1) continue;
      order.left -= 1;
      if (order.left === 0) remove(order);
      const { kind, seconds = fault.seconds ?? 0 } = order.injection;
      struck.set(kind, (struck.get(kind) ?? 0) + 1);
      yield { name: kind, make: () => fault.strike(scene, seconds) };
    }
  }

  for (const injection of injectionsOf(options)) inject(injection);
  return {
    inject,
    strikes,
    async outcome(at, scene) {
      for (const { make } of strikes(at, scene)) {
        const outcome = await make();
        if (outcome !== undefined) return outcome;
      }
      return undefined;
    },
    clear() {
      for (const order of orders) order.left = 0;
      orders = [];
    },
    armed: () =>
      orders.map(({ injection, left }) => (Number.isFinite(left) ? { ...injection, count: left } : injection)),
    struck: () => Object.fromEntries(struck),
  };
}

function strikesAt<At extends Place>(fault: AnyFault, at: At): fault is AnyFault & Fault<At> {
  return fault.at === at;
}

function fits<At extends Place>({ on }: Injection, fault: Fault<At>, scene: Places[At]['scene']): boolean {
  const isMeant = on === undefined || (scene !== null && 'on' in scene && scene.on === on);
  return isMeant && (fault.when?.(scene) ?? true);
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
