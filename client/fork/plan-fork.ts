import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { askKey, type LinkOrigin, standing, takeKey, takesOfAsk, type TakeHistory } from '../../store';
import { currentTakes, linksOf } from '../current-takes';

export interface ForkSource {
  readonly account: string;
  readonly production: FrozenProduction;
  /** Of this account, by shot. */
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** Take keys of the takes whose output is there in full length. */
  readonly whole: ReadonlySet<string>;
}

/** A take of the new production that stands for one of the old. */
export interface PlannedAlias {
  /** Counts from 1 within the shot of the new production. */
  readonly take: number;
  readonly askKey: string;
  readonly takeKey: string;
  readonly source: TakeHistory;
}

/** A shot whose takes are reused. */
export interface ForkedShot {
  readonly shot: string;
  /** The take that stands for it, and those that were rendered beside it. */
  readonly aliases: readonly PlannedAlias[];
  readonly standing: PlannedAlias;
  /** What the shot asks for in its first variant, in the old production and in the new one. */
  readonly context: { readonly from: string; readonly to: string };
}

export interface ForkPlan {
  /** In the order of the film. */
  readonly reused: readonly ForkedShot[];
  /** Shots before the one where the fork begins that cannot be reused. */
  readonly left: readonly { readonly shot: string; readonly because: string }[];
}

/**
 * Which takes a fork reuses, and under which keys the new production's render finds them. Pure.
 *
 * @param before the shots that are to be reused where they can be.
 */
export function planFork(source: ForkSource, newId: string, before: readonly FrozenShot[]): ForkPlan {
  const { account, production, takes, whole } = source;
  const current = currentTakes(account, production, takes);
  const wanted = new Map(before.map((shot) => [shot.id, shot]));
  const found = new Map<string, ForkedShot | string>();

  /** The fork of a shot, or why there is none. Checked productions have no cycles among their links. */
  function fork(shot: FrozenShot): ForkedShot | string {
    const history = current.get(shot.id);
    if (history === undefined || !isUsable(history, whole)) return 'it has no take in the store';
    const links = linksOf(shot).map(({ shot: id, frame }) => ({ id, frame, origin: forkOf(id) }));
    const lost = links.find(({ origin }) => origin === undefined);
    if (lost !== undefined) return `it starts on a frame of "${lost.id}", which is new`;
    const originsBy = (keyOf: (origin: ForkedShot) => string): LinkOrigin[] =>
      links.flatMap(({ id, frame, origin }) =>
        origin === undefined ? [] : [{ shot: id, frame, takeKey: keyOf(origin) }],
      );
    const oldLinks = originsBy((origin) => origin.standing.source.intent.takeKey);
    const newLinks = originsBy((origin) => origin.standing.takeKey);
    const own = takes.get(shot.id) ?? [];
    const pairs = own.map((_, sibling) => ({
      from: askKey({ account, productionId: production.id, shot, links: oldLinks, sibling }),
      to: askKey({ account, productionId: newId, shot, links: newLinks, sibling }),
    }));
    const aliases = pairs
      .flatMap(({ from, to }) => {
        const newest = takesOfAsk(own, from).findLast((one) => isUsable(one, whole));
        return newest === undefined ? [] : [{ source: newest, askKey: to, takeKey: takeKey(to, 0) }];
      })
      .toSorted((a, b) => a.source.take - b.source.take)
      .map((alias, index) => ({ take: index + 1, ...alias }));
    const stands = aliases.find((alias) => alias.source.take === history.take);
    const [context] = pairs;
    if (stands === undefined || context === undefined) return 'its take answers another ask';
    return { shot: shot.id, aliases, standing: stands, context };
  }

  function forkOf(id: string): ForkedShot | undefined {
    const shot = wanted.get(id);
    if (shot !== undefined && !found.has(id)) found.set(id, fork(shot));
    const forked = found.get(id);
    return typeof forked === 'string' ? undefined : forked;
  }

  return {
    reused: before.flatMap(({ id }) => forkOf(id) ?? []),
    left: before.flatMap(({ id }) => {
      const because = found.get(id);
      return typeof because === 'string' ? [{ shot: id, because }] : [];
    }),
  };
}

/** Whether the take has ended well and its bytes are there. */
function isUsable(history: TakeHistory, whole: ReadonlySet<string>): boolean {
  const now = standing(history);
  const isCompleted = now.is === 'used' || (now.is === 'settled' && now.settled.state === 'completed');
  return isCompleted && whole.has(history.intent.takeKey);
}
