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

/**
 * A shot in one context. The context is the ask of the shot's first variant, including the takes that its links use.
 */
export interface ChoiceAddress {
  readonly productionId: string;
  readonly shotId: string;
  /** The ask's key. */
  readonly context: string;
}

/** The address of an ask's choices. It is the same for all takes side by side. */
export function choiceAddress({ account, productionId, shot, links }: Omit<Ask, 'sibling'>): ChoiceAddress {
  return { productionId, shotId: shot.id, context: askKey({ account, productionId, shot, links }) };
}

/**
 * What people, and the first takes to complete, have decided about the shots of productions. Nothing is ever removed.
 */
export interface Directing {
  /** Undefined if nothing was chosen. */
  choice(address: ChoiceAddress): Promise<Choice | undefined>;
  /** All choices in force for the shots of a production, by context. A context identifies its shot too. */
  choices(productionId: string): Promise<ReadonlyMap<string, Choice>>;
  /** Records the first choice of a context. @returns the choice in force, which another process may have recorded. */
  chooseFirst(address: ChoiceAddress, choice: Choice): Promise<Choice>;
  /** Records a choice, which replaces the one in force. */
  choose(address: ChoiceAddress, choice: Choice): Promise<void>;
  direction(productionId: string, shotId: string): Promise<Direction | undefined>;
  /** All directions that the shot ever had, newest last. */
  directions(productionId: string, shotId: string): Promise<readonly Direction[]>;
  direct(productionId: string, shotId: string, direction: Direction): Promise<void>;
  /** True if anything was ever decided about the shot. */
  isDirected(productionId: string, shotId: string): Promise<boolean>;
}

/** Folder of the decisions about shots. */
export const DIRECTING = 'directing';

export function createDirecting(records: Records): Directing {
  const shotFolder = (productionId: string, shotId: string): string => `${DIRECTING}/${productionId}/${shotId}`;
  const contextFolder = ({ productionId, shotId, context }: ChoiceAddress): string =>
    `${shotFolder(productionId, shotId)}/${context}`;

  async function newest(folder: string, kind: 'choice' | 'direction'): Promise<unknown> {
    const n = numbersOf(await records.list(folder), kind).at(-1);
    return n === undefined ? undefined : records.read(`${folder}/${kind}-${n}`);
  }
  /** If two processes append at once, both records are kept, and the later one is in force. */
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

/** A shot's directions are in the same folder as the folders of its contexts. */
function isContext(name: string): boolean {
  return Sha256.safeParse(name).success;
}
