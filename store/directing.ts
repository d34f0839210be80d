import { z } from 'zod';
import { Sha256 } from '../contracts/asset';
import { type Choice, type Direction } from '../contracts/directing';
import { FrozenShot } from '../contracts/frozen';
import { numbersOf, type Records } from './records';
import { type Ask, askKey } from './take-key';

const NotedChoice = z.looseObject({
  takeKey: Sha256,
  take: z.int().positive(),
  by: z.enum(['first', 'person', 'default']),
  approved: z.boolean(),
  at: z.string(),
});

const NotedDirection = z.looseObject({
  of: Sha256,
  shot: FrozenShot,
  by: z.literal('deadline').exactOptional(),
  takes: z.int().positive().exactOptional(),
  at: z.string(),
});

/** A shot in one context: what it asks for in its first variant, the takes included that its links start on. */
export interface ChoiceAddress {
  readonly productionId: string;
  readonly shotId: string;
  /** The ask's key. */
  readonly context: string;
}

/** Where the choices of an ask are kept, whichever of the takes side by side asks. */
export function choiceAddress({ account, productionId, shot, links }: Omit<Ask, 'sibling'>): ChoiceAddress {
  return { productionId, shotId: shot.id, context: askKey({ account, productionId, shot, links }) };
}

/** What people, and the first takes to complete, have decided about the shots of productions. Nothing is removed. */
export interface Directing {
  /** Undefined where the shot's one take stands, or none. */
  choice(address: ChoiceAddress): Promise<Choice | undefined>;
  /** All that stand for the shots of a production, by context: a context names its shot too. */
  choices(productionId: string): Promise<ReadonlyMap<string, Choice>>;
  /** Notes the first choice of a context. @returns the choice that stands, which may be another's. */
  chooseFirst(address: ChoiceAddress, choice: Choice): Promise<Choice>;
  /** Notes a choice over whatever stood. */
  choose(address: ChoiceAddress, choice: Choice): Promise<void>;
  direction(productionId: string, shotId: string): Promise<Direction | undefined>;
  /** Every direction that the shot ever had, the newest last. */
  directions(productionId: string, shotId: string): Promise<readonly Direction[]>;
  direct(productionId: string, shotId: string, direction: Direction): Promise<void>;
  /** Whether anything was ever decided about the shot. */
  isDirected(productionId: string, shotId: string): Promise<boolean>;
}

/** Folder of what people have decided about shots. */
export const DIRECTING = 'directing';

export function createDirecting(records: Records): Directing {
  const shotFolder = (productionId: string, shotId: string): string => `${DIRECTING}/${productionId}/${shotId}`;
  const contextFolder = ({ productionId, shotId, context }: ChoiceAddress): string =>
    `${shotFolder(productionId, shotId)}/${context}`;

  async function newest(folder: string, kind: 'choice' | 'direction'): Promise<unknown> {
    const n = numbersOf(await records.list(folder), kind).at(-1);
    return n === undefined ? undefined : records.read(`${folder}/${kind}-${n}`);
  }
  /** Two at once both count, the later one last. */
  async function append(folder: string, kind: 'choice' | 'direction', value: object): Promise<void> {
    for (;;) {
      const n = (numbersOf(await records.list(folder), kind).at(-1) ?? 0) + 1;
      if (await records.create(`${folder}/${kind}-${n}`, { ...value, at: new Date().toISOString() })) return;
    }
  }
  async function choice(address: ChoiceAddress): Promise<Choice | undefined> {
    const noted = await newest(contextFolder(address), 'choice');
    return noted === undefined ? undefined : NotedChoice.parse(noted);
  }

  async function choicesOf(productionId: string, shotId: string): Promise<[string, Choice][]> {
    const contexts = (await records.list(shotFolder(productionId, shotId))).filter(isContext);
    const found = await Promise.all(
      contexts.map(async (context) => [context, await choice({ productionId, shotId, context })] as const),
    );
    return found.flatMap(([context, one]) => (one === undefined ? [] : [[context, one]]));
  }

  return {
    choice,
    async choices(productionId) {
      const shots = await records.list(`${DIRECTING}/${productionId}`);
      return new Map((await Promise.all(shots.map((shot) => choicesOf(productionId, shot)))).flat());
    },
    async directions(productionId, shotId) {
      const folder = shotFolder(productionId, shotId);
      const numbers = numbersOf(await records.list(folder), 'direction');
      const noted = await Promise.all(numbers.map((n) => records.read(`${folder}/direction-${n}`)));
      return noted.map((one) => NotedDirection.parse(one));
    },
    async chooseFirst(address, first) {
      const value = { ...first, at: new Date().toISOString() };
      if (await records.create(`${contextFolder(address)}/choice-1`, value)) return first;
      return (await choice(address)) ?? first;
    },
    choose: (address, chosen) => append(contextFolder(address), 'choice', chosen),
    async direction(productionId, shotId) {
      const noted = await newest(shotFolder(productionId, shotId), 'direction');
      return noted === undefined ? undefined : NotedDirection.parse(noted);
    },
    direct: (productionId, shotId, direction) => append(shotFolder(productionId, shotId), 'direction', direction),
    async isDirected(productionId, shotId) {
      return (await records.list(shotFolder(productionId, shotId))).length > 0;
    },
  };
}

/** Beside the folders of its contexts lie a shot's directions. */
function isContext(name: string): boolean {
  return Sha256.safeParse(name).success;
}
