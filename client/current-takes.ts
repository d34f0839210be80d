import { type Choice } from '../contracts/directing';
import { frameLinks } from '../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { askKey, hasCompleted, type LinkOrigin, takeOfChoice, takesOfAsk, type TakeHistory } from '../store';

/** What decides which take stands for each shot of a production. */
export interface TakesInput {
  readonly account: string;
  readonly production: FrozenProduction;
  /** Of this account, by shot. */
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** By context. */
  readonly choices: ReadonlyMap<string, Choice>;
  /** How many takes a shot has side by side; one where it is not named. */
  readonly sideBySide: ReadonlyMap<string, number>;
}

/** A shot as the ledger has it, as far as what it asks for is known: all that it starts on has a take. */
export interface CurrentShot {
  /** What it asks for in its first variant: names its choices. */
  readonly context: string;
  /** By which of the takes side by side, the newest that asked for the same. */
  readonly siblings: readonly (TakeHistory | undefined)[];
  /** Undefined if none was made, or the chosen take cannot stand any more. */
  readonly choice: Choice | undefined;
  /** The one that stands for the shot, or would; undefined if it has none. */
  readonly take: TakeHistory | undefined;
}

/**
 * The takes of each shot that a frozen production asks for, which need not be the newest ones: a person's choice or the
 * first that completed stands, and where nobody had to choose the newest of the same ask.
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
    // What it starts on is not there yet, and so nothing has asked for it.
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
  /** Checked productions have no cycles among their links. */
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

/** Among takes side by side; a clip of the person's own was never rendered, and stands from the beginning. */
function firstCompleted(siblings: readonly (TakeHistory | undefined)[]): TakeHistory | undefined {
  const endedAt = ({ settled }: TakeHistory): string => settled?.at ?? '';
  const completed = siblings.flatMap((take) => (take !== undefined && hasCompleted(take) ? [take] : []));
  return completed.toSorted((a, b) => endedAt(a).localeCompare(endedAt(b)))[0];
}
