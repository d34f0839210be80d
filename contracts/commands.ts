import { ANSWERS, type Decision, type ParkedFor, type ParkedTake } from './render/decision';
import type { ManifestShot } from './manifest';
import type { ShotStatus } from './status';

/** The commands with which a person continues a waiting shot, as every display and notice shows them. */

/** A way to continue a shot that waits for a person. */
export interface Way {
  /** To be typed literally, except for the placeholders in capitals. */
  readonly command: string;
  readonly means: string;
}

/**
 * Returns the ways to continue a parked shot, the usual one first.
 *
 * @param named the parked takes, if a command has to name one of them.
 */
export function resolveWays(
  productionId: string,
  shotId: string,
  parkedFor: ParkedFor,
  named: readonly ParkedTake[] = [],
): readonly Way[] {
  if (named.length === 0) return waysOf(productionId, shotId, parkedFor, '');
  const ways = named.flatMap((one) => waysOf(productionId, shotId, one.for, ` --take ${one.take}`));
  return ways.filter(({ command }, index) => ways.findIndex((way) => way.command === command) === index);
}

function waysOf(productionId: string, shotId: string, parkedFor: ParkedFor, take: string): readonly Way[] {
  const raise = { command: budgetCommand(productionId), means: 'give the production more credits' };
  const answers = ANSWERS[parkedFor].map((kind) => ({
    command: `dailies resolve ${productionId} ${shotId}${take} ${FLAGS[kind]}`,
    means: meaningOf(kind, parkedFor, take !== ''),
  }));
  return parkedFor === 'budget' ? [raise, ...answers] : answers;
}

/** Returns the ways to continue a shot in review: approve one of its takes, or make another take. */
export function reviewWays(productionId: string, shot: Pick<ShotStatus, 'id' | 'takes' | 'review'>): readonly Way[] {
  const { id } = shot;
  return [
    ...completedTakes(shot).map((take) => ({
      command: `dailies approve ${productionId} ${id} --take ${take}`,
      means: `take ${take} is good`,
    })),
    { command: `dailies reject ${productionId} ${id} --prompt TEXT`, means: 'make another take, which costs credits' },
  ];
}

/** Returns the ways to continue a shot with paid takes but no chosen take: choose one of them, or make another take. */
export function choiceWays(productionId: string, shotId: string, takes: readonly number[]): readonly Way[] {
  return [
    ...takes.map((take) => ({
      command: `dailies choose ${productionId} ${shotId} ${take}`,
      means: `use take ${take} for the shot; the choice itself costs nothing`,
    })),
    {
      command: `dailies retake ${productionId} ${shotId} --prompt TEXT`,
      means: 'make another take, which costs credits',
    },
  ];
}

/**
 * Returns the numbers of the takes that a person can choose for a failed or skipped shot; empty for any other state. A
 * take with a pruned output can be chosen, since the output can be collected again.
 */
export function takesToChoose({ state, takes }: Pick<ManifestShot, 'state' | 'takes'>): readonly number[] {
  if (state !== 'failed' && state !== 'skipped') return [];
  const isObtainable = ({ asset, pruned }: ManifestShot['takes'][number]): boolean => asset !== null || pruned !== null;
  return completedTakes({ takes: takes.filter(isObtainable) });
}

/** Describes a review for a person: its start, and the automatic decision if nobody answers in time. */
export function reviewInWords({ since, until, otherwise }: ReviewTimes): string {
  if (until === null) return `for your approval since ${since}`;
  const then = otherwise === 'skip' ? 'the shot is left out' : 'the chosen take is approved';
  return `for your approval since ${since}; from ${until} on, ${then} automatically`;
}

/** Returns the usual command for a parked shot with all its options, as in a usage text. */
export function resolveCommand(
  productionId: string,
  shotId: string,
  parkedFor: ParkedFor,
  named: readonly ParkedTake[] = [],
): string {
  if (parkedFor === 'budget') return budgetCommand(productionId);
  const takes = named.filter((one) => one.for === parkedFor).map(({ take }) => take);
  const take = takes.length === 0 ? '' : ` --take ${takes.join('|')}`;
  return `dailies resolve ${productionId} ${shotId}${take} ${ANSWERS[parkedFor].map((kind) => FLAGS[kind]).join(' | ')}`;
}

export function budgetCommand(productionId: string): string {
  return `dailies budget ${productionId} --credits M`;
}

/**
 * Returns the two commands that continue a shot in review, separated by `|`.
 *
 * `approve` names each take that can be approved, since the chosen take may change before a person types the command.
 */
export function reviewCommand(productionId: string, shot: Pick<ShotStatus, 'id' | 'takes' | 'review'>): string {
  return `dailies approve ${productionId} ${shot.id} --take ${completedTakes(shot).join('|')} | dailies reject ${productionId} ${shot.id} [--prompt TEXT]`;
}

/** Take numbers in ascending order, separated by commas; `none` if there are none. */
export function takesInWords(numbers: Iterable<number>): string {
  return [...numbers].toSorted((a, b) => a - b).join(', ') || 'none';
}

type NumberedTake = Pick<ManifestShot['takes'][number], 'take' | 'state'>;

type ReviewTimes = Pick<NonNullable<ManifestShot['review']>, 'since' | 'until' | 'otherwise'>;

/**
 * Returns the numbers of the completed takes, ascending; with `review.takes`, only of takes in that list. The list has
 * the takes that answer the shot's present request: an approval of another take would be refused.
 */
export function completedTakes({
  takes,
  review,
}: {
  readonly takes: readonly NumberedTake[];
  readonly review?: { readonly takes?: readonly number[] } | null;
}): readonly number[] {
  return takes
    .filter(({ take, state }) => state === 'completed' && review?.takes?.includes(take) !== false)
    .map(({ take }) => take)
    .toSorted((a, b) => a - b);
}

const FLAGS: Readonly<Record<Decision['kind'], string>> = {
  adopt: '--adopt TASK_ID',
  resubmit: '--resubmit',
  skip: '--skip',
  use: '--use FILE',
  wait: '--wait',
};

const MEANS: Readonly<Record<Decision['kind'], string>> = {
  adopt:
    "continue with the task that the gateway's list shows for this submit (same time, same prompt); " +
    'costs nothing more',
  resubmit: 'pay for another take',
  skip: 'leave the shot out; costs nothing more',
  use: 'use a file of your own instead; costs nothing more',
  wait: 'give the same task more time; costs nothing more',
};

/** The meaning of an answer, if it depends on why the shot is parked. */
const MEANS_FOR: Partial<Readonly<Record<ParkedFor, Partial<typeof MEANS>>>> = {
  unclear: { resubmit: 'send it again; if the gateway accepted the first submit too, it charges both' },
  overdue: { resubmit: 'pay for another task; the one that runs is charged too' },
  credits: { resubmit: 'send it again, once the account has credits' },
  uncollected: { wait: 'try again to collect the output; costs nothing more' },
};

function meaningOf(answer: Decision['kind'], parkedFor: ParkedFor, isOfTake: boolean): string {
  if (answer === 'skip' && isOfTake) return 'leave this take out; costs nothing more';
  return MEANS_FOR[parkedFor]?.[answer] ?? MEANS[answer];
}
