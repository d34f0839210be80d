import { type Choice } from '../../contracts/directing';
import { frameLinks } from '../../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { askKey, hasCompleted, type LinkOrigin, takeOfChoice, takesOfAsk, type TakeHistory } from '../../store';

/** What determines the chosen take of each shot of a production. */
export interface TakesInput {
  readonly account: string;
  readonly production: FrozenProduction;
  /** Takes of this account, by shot. */
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** Choices by context. */
  readonly choices: ReadonlyMap<string, Choice>;
  /** Number of takes side by side, by shot. Default: 1. */
  readonly sideBySide: ReadonlyMap<string, number>;
}

/** A shot by the ledger. It exists only if every shot that it links to has a take. */
export interface CurrentShot {
  /** The ask key of the shot's first variant. Choices are recorded under it. */
  readonly context: string;
  /** For each take side by side: the newest take with the same request. */
  readonly siblings: readonly (TakeHistory | undefined)[];
  /** Undefined if there is none, or the chosen take can no longer be used. */
  readonly choice: Choice | undefined;
  /** The chosen take, or the one that would be chosen; undefined if the shot has none. */
  readonly take: TakeHistory | undefined;
}

/**
 * The current take of each shot of a frozen production, which need not be the newest: a person's choice, or else the
 * first that completed. Among takes of the same request the newest counts.
 */
export function currentShots(input: TakesInput): ReadonlyMap<string, CurrentShot> {
  const { account, production, takes, choices, sideBySide } = input;
  const shots = new Map(production.shots.map((shot) => [shot.id, shot]));
  const found = new Map<string, CurrentShot | undefined>();

  function find(shot: FrozenShot): CurrentShot | undefined {
    const files = frameLinks(shot);
    const links = files.flatMap(({ shot: from, frame }): LinkOrigin[] => {
      const takeKey = current(from)?.take?.intent.takeKey;
      return takeKey === undefined ? [] : [{ shot: from, frame, takeKey }];
    });
    // A linked shot has no take yet, so nothing can have asked for this one.
    if (links.length < files.length) return undefined;
    const known = takes.get(shot.id) ?? [];
    const asks = Array.from({ length: sideBySide.get(shot.id) ?? 1 }, (_, sibling) =>
      askKey({ account, productionId: production.id, shot, links, sibling }),
    );
    const [context = ''] = asks;
    const siblings = asks.map((ask) => takesOfAsk(known, ask).at(-1));
    const choice = choices.get(context);
    const chosen = takeOfChoice(known, choice);
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
    if (shot !== undefined && !found.has(id)) found.set(id, find(shot));
    return found.get(id);
  }
  return new Map(
    production.shots.flatMap(({ id }) => {
      const shot = current(id);
      return shot === undefined ? [] : [[id, shot] as const];
    }),
  );
}

/** The first completed take among those side by side. A clip of the person's own has no end time, so it comes first. */
function firstCompleted(siblings: readonly (TakeHistory | undefined)[]): TakeHistory | undefined {
  const endedAt = ({ settled }: TakeHistory): string => settled?.at ?? '';
  const completed = siblings.flatMap((take) => (take !== undefined && hasCompleted(take) ? [take] : []));
  return completed.toSorted((a, b) => endedAt(a).localeCompare(endedAt(b)))[0];
}
