import { frameLinks } from '../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { askKey, type LinkOrigin, takesOfAsk, type TakeHistory } from '../store';

/**
 * The take of each shot that a frozen production asks for, as far as the ledger has one: the newest of the same ask,
 * which need not be the newest of the shot.
 */
export function currentTakes(
  account: string,
  production: FrozenProduction,
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
): ReadonlyMap<string, TakeHistory> {
  const shots = new Map(production.shots.map((shot) => [shot.id, shot]));
  const found = new Map<string, TakeHistory | undefined>();

  function find(shot: FrozenShot): TakeHistory | undefined {
    const links = frameLinks(shot);
    const origins = links.flatMap(({ shot: from, frame }): LinkOrigin[] => {
      const takeKey = current(from)?.intent.takeKey;
      return takeKey === undefined ? [] : [{ shot: from, frame, takeKey }];
    });
    // What it starts on is not there yet, and so nothing has asked for it.
    if (origins.length < links.length) return undefined;
    const ask = askKey({ account, productionId: production.id, shot, links: origins });
    return takesOfAsk(takes.get(shot.id) ?? [], ask).at(-1);
  }
  /** Checked productions have no cycles among their links. */
  function current(id: string): TakeHistory | undefined {
    const shot = shots.get(id);
    if (shot !== undefined && !found.has(id)) found.set(id, find(shot));
    return found.get(id);
  }
  return new Map(
    production.shots.flatMap(({ id }) => {
      const take = current(id);
      return take === undefined ? [] : [[id, take] as const];
    }),
  );
}
