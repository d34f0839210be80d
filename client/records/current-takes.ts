import { type Choice } from '../../contracts/render/directing';
import { frameLinks } from '../../contracts/file/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { askKey, hasCompleted, type LinkOrigin, takeOfChoice, takesOfAsk, type TakeHistory } from '../../store';

/** The facts that determine the current take of each shot of a production. */
export interface TakesInput {
  readonly account: string;
  readonly production: FrozenProduction;
  /** Takes of this account, by shot. */
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** Choices by `CurrentShot.context`. */
  readonly choices: ReadonlyMap<string, Choice>;
  /** Number of takes that are made side by side, by shot. Default: 1. */
  readonly sideBySide: ReadonlyMap<string, number>;
}

/** The takes that answer a shot's current request. */
export interface CurrentShot {
  /** Key of the request for the first of `siblings` (`askKey`). Choices are recorded under this key. */
  readonly context: string;
  /** For each of the shot's takes side by side: the newest take of its request, undefined if there is none yet. */
  readonly siblings: readonly (TakeHistory | undefined)[];
  /** The choice in force; undefined if there is none, or if the chosen take can no longer be used. */
  readonly choice: Choice | undefined;
  /** The current take; undefined if the request has no take yet. */
  readonly take: TakeHistory | undefined;
}

/**
 * Finds the current take of each shot of a frozen production. It need not be the newest take of the shot.
 *
 * The current take is the chosen take. Without a usable choice, it is the take in `CurrentShot.siblings` that completed
 * first. If none has completed, it is the first take in the list.
 *
 * @returns no entry for a shot that links to a shot without a take.
 */
export function currentShots(input: TakesInput): ReadonlyMap<string, CurrentShot> {
  const { account, production, takes, choices, sideBySide } = input;
  const shots = new Map(production.shots.map((shot) => [shot.id, shot]));
  const currentById = new Map<string, CurrentShot | undefined>();

  function find(shot: FrozenShot): CurrentShot | undefined {
    const files = frameLinks(shot);
    const links = files.flatMap(({ shot: from, frame }): LinkOrigin[] => {
      const takeKey = current(from)?.take?.intent.takeKey;
      return takeKey === undefined ? [] : [{ shot: from, frame, takeKey }];
    });
    // If a linked shot has no take yet, this shot cannot have been requested.
    if (links.length < files.length) return undefined;
    const ownTakes = takes.get(shot.id) ?? [];
    const askKeys = Array.from({ length: sideBySide.get(shot.id) ?? 1 }, (_, sibling) =>
      askKey({ account, productionId: production.id, shot, links, sibling }),
    );
    const [context = ''] = askKeys;
    const siblings = askKeys.map((ask) => takesOfAsk(ownTakes, ask).at(-1));
    const choice = choices.get(context);
    const chosen = takeOfChoice(ownTakes, choice);
    return {
      context,
      siblings,
      choice: chosen === undefined ? undefined : choice,
      take: chosen ?? firstCompleted(siblings) ?? siblings.find((take) => take !== undefined),
    };
  }
  /** Terminates, because checked productions have no cycles of links. */
  function current(id: string): CurrentShot | undefined {
    const shot = shots.get(id);
    if (shot !== undefined && !currentById.has(id)) currentById.set(id, find(shot));
    return currentById.get(id);
  }
  return new Map(
    production.shots.flatMap(({ id }) => {
      const shot = current(id);
      return shot === undefined ? [] : [[id, shot] as const];
    }),
  );
}

/** The take that completed first. A take without an end time, such as an alias, counts as first. */
function firstCompleted(siblings: readonly (TakeHistory | undefined)[]): TakeHistory | undefined {
  const endedAt = ({ settled }: TakeHistory): string => settled?.at ?? '';
  const completed = siblings.flatMap((take) => (take !== undefined && hasCompleted(take) ? [take] : []));
  return completed.toSorted((a, b) => endedAt(a).localeCompare(endedAt(b)))[0];
}
