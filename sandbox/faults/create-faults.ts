import { seededRandom, type Random } from '../random';
import { FAULTS, type AnyFault, type Fault, type FaultName, type Place, type Places } from './fault-table';
import { Injection } from './injection';

/** How the sandbox misbehaves from its start. Shares go from 0 to 1; what is absent does not happen. */
export interface FaultOptions {
  readonly shares?: Readonly<Partial<Record<FaultName, number>>>;
  /** The share of `task-fails`. */
  readonly failedShare?: number;
  /** The share of `refuse-429`. */
  readonly throttledShare?: number;
  /** The share of `refuse-500`. */
  readonly errorShare?: number;
  /** The time of `slow`. */
  readonly slowAnswerMs?: number;
  /** The share of `slow`; all answers where only the time is given. */
  readonly slowAnswerShare?: number;
  /** The same seed draws the same faults, for requests that come in the same order. Default 1. */
  readonly seed?: number;
}

/** Makes the sandbox misbehave while it runs. */
export interface FaultControl {
  /**
   * @returns withdraws what is left of the order.
   * @throws z.ZodError for an order that cannot be followed.
   */
  inject(injection: Injection): () => void;
  /** Ends all misbehaviour, that of the start too. What has become of accepted tasks stays. */
  clear(): void;
  /** The orders that are not used up, with the counts that are left. */
  armed(): readonly Injection[];
  /** How often each fault has struck. */
  struck(): Readonly<Partial<Record<FaultName, number>>>;
}

/** A fault that strikes. */
export interface Strike<At extends Place> {
  readonly name: FaultName;
  readonly make: () => ReturnType<Fault<At>['strike']>;
}

export interface Faults extends FaultControl {
  /** The faults that strike in a scene, in the order of the table. One that is not asked for is not used up. */
  strikes<At extends Place>(at: At, scene: Places[At]['scene']): Iterable<Strike<At>>;
  /** Lets them strike until one makes something of the scene. */
  outcome<At extends Place>(at: At, scene: Places[At]['scene']): Promise<Places[At]['outcome'] | undefined>;
}

interface Order {
  readonly injection: Injection;
  /** How often it may still strike. */
  left: number;
}

/** Makes the sandbox's misbehaviour. Each kind draws from a generator of its own, so that one share moves no other. */
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
    // All are drawn before the first strikes, so that each kind keeps its own sequence.
    const drawn = orders.flatMap((order) => {
      const fault: AnyFault = FAULTS[order.injection.kind];
      return strikesAt(fault, at) && fits(order.injection, fault, scene) && isDrawn(order.injection)
        ? [{ order, fault }]
        : [];
    });
    for (const { order, fault } of drawn) {
      // Another request may have had the last one meanwhile.
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
