import { z } from 'zod';
import { Sha256 } from '../../contracts/asset';
import { type Choice, type Direction } from '../../contracts/render/directing';
import { FrozenShot } from '../../contracts/render/frozen';
import { numbersOf, type Records } from '../records';
import { type Ask, askKey } from '../ledger/take-key';

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
 * A shot in one context. The context is what the shot requests, including the takes that its links use. Parallel takes
 * of a shot share one context.
 */
export interface ChoiceAddress {
  readonly productionId: string;
  readonly shotId: string;
  /** The ask key of the context. */
  readonly context: string;
}

/** The address of the choices for an ask. */
export function choiceAddress({ account, productionId, shot, links }: Omit<Ask, 'sibling'>): ChoiceAddress {
  return { productionId, shotId: shot.id, context: askKey({ account, productionId, shot, links }) };
}

/** The choices of takes, and the directions (changed shots), of all productions. Records are never removed. */
export interface Directing {
  /** The choice in force; undefined if nothing was chosen. */
  choice(address: ChoiceAddress): Promise<Choice | undefined>;
  /** All choices in force of a production, by context. A context belongs to one shot. */
  choices(productionId: string): Promise<ReadonlyMap<string, Choice>>;
  /** Records a context's first choice, if there is none. @returns the choice in force. */
  chooseFirst(address: ChoiceAddress, choice: Choice): Promise<Choice>;
  /** Records a choice, which replaces the one in force. */
  choose(address: ChoiceAddress, choice: Choice): Promise<void>;
  /** The direction in force, which is the newest; undefined if there is none. */
  direction(productionId: string, shotId: string): Promise<Direction | undefined>;
  /** All directions of the shot, newest last. */
  directions(productionId: string, shotId: string): Promise<readonly Direction[]>;
  direct(productionId: string, shotId: string, direction: Direction): Promise<void>;
  /**
   * Records a direction unless `isKept` is true for the one in force. This also holds if another process records a
   * direction in the same moment.
   */
  directUnless(
    productionId: string,
    shotId: string,
    direction: Direction,
    isKept: (inForce: Direction | undefined) => boolean,
  ): Promise<void>;
  /** True if the shot has any direction or choice. */
  isDirected(productionId: string, shotId: string): Promise<boolean>;
}

/** Folder of the choices and directions. */
export const DIRECTING = 'directing';

export function createDirecting(records: Records): Directing {
  const shotFolder = (productionId: string, shotId: string): string => `${DIRECTING}/${productionId}/${shotId}`;
  const contextFolder = ({ productionId, shotId, context }: ChoiceAddress): string =>
    `${shotFolder(productionId, shotId)}/${context}`;

  async function newest(folder: string, kind: 'choice' | 'direction'): Promise<unknown> {
    const n = numbersOf(await records.list(folder), kind).at(-1);
    return n === undefined ? undefined : records.read(`${folder}/${kind}-${n}`);
  }
  /**
   * Appends a record, unless `isKept` is true for the newest one. If two processes append at once, the record with the
   * higher number is in force.
   */
  async function append(
    folder: string,
    kind: 'choice' | 'direction',
    value: object,
    isKept?: (newest: unknown) => boolean,
  ): Promise<void> {
    for (;;) {
      const n = numbersOf(await records.list(folder), kind).at(-1) ?? 0;
      if (isKept?.(n === 0 ? undefined : await records.read(`${folder}/${kind}-${n}`)) === true) return;
      if (await records.create(`${folder}/${kind}-${n + 1}`, { ...value, at: new Date().toISOString() })) return;
    }
  }
  async function choice(address: ChoiceAddress): Promise<Choice | undefined> {
    const noted = await newest(contextFolder(address), 'choice');
    return noted === undefined ? undefined : NotedChoice.parse(noted);
  }

  async function choicesOf(productionId: string, shotId: string): Promise<[string, Choice][]> {
    const contexts = (await records.list(shotFolder(productionId, shotId))).filter(isContext);
    const choices = await Promise.all(
      contexts.map(async (context) => [context, await choice({ productionId, shotId, context })] as const),
    );
    return choices.flatMap(([context, one]) => (one === undefined ? [] : [[context, one]]));
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
    directUnless: (productionId, shotId, direction, isKept) =>
      append(shotFolder(productionId, shotId), 'direction', direction, (noted) =>
        isKept(noted === undefined ? undefined : NotedDirection.parse(noted)),
      ),
    async isDirected(productionId, shotId) {
      return (await records.list(shotFolder(productionId, shotId))).length > 0;
    },
  };
}

/** True for the folder of a context. A shot's folder also has its directions. */
function isContext(name: string): boolean {
  return Sha256.safeParse(name).success;
}
