import { isDeepStrictEqual } from 'node:util';
import { Refused } from '../../client/wording/refused';
import { type WaitingShot } from './waiting-shots';

/** A take that was shown to a person, with the state of the shot and production at that time. */
export interface Shown {
  readonly shot: WaitingShot;
  readonly take: number;
  /** Version of the production, on which the price and effect of a decision are based. */
  readonly version: string;
}

/** The waiting shots of a production at one moment. */
export interface Look {
  readonly version: string;
  readonly shots: readonly WaitingShot[];
}

/** The loop's interface to the person and the production. */
export interface Reviewing {
  look(): Promise<Look>;
  /** @param place counts from 1. */
  show(shown: Shown, place: { readonly at: number; readonly of: number }): Promise<void>;
  /** @returns undefined if the person leaves. */
  ask(question: string): Promise<string | undefined>;
  tell(line: string): void;
  /** Approves or chooses the take for its shot. @returns false if the person declines the cost. */
  approve(shown: Shown): Promise<boolean>;
  /** Asks what to change, prints the price, and starts another take on a yes. @returns false if no take was started. */
  reject(shown: Shown): Promise<boolean>;
}

/** The outcome of a review, as ids of shots. */
export interface Reviewed {
  readonly approved: readonly string[];
  readonly rejected: readonly string[];
  /** Whether shots still wait without a decision. */
  readonly isLeft: boolean;
}

type Outcome = 'approved' | 'rejected' | 'next' | 'quit' | 'again';

/**
 * Shows a person the waiting shots, one after another, until each has been shown or the person quits.
 *
 * Before each decision the production is read again. If it has changed since the shot was shown, nothing is decided.
 *
 * @throws the errors of `reviewing`. A `Refused` during a decision is only printed, and the shot is shown again.
 */
export async function review(reviewing: Reviewing): Promise<Reviewed> {
  const seen: { readonly shot: WaitingShot; readonly outcome: Outcome }[] = [];
  const idsOf = (wanted: Outcome): readonly string[] =>
    seen.filter(({ outcome }) => outcome === wanted).map(({ shot }) => shot.id);
  for (;;) {
    const { version, shots } = await reviewing.look();
    // A decision may take a moment to become visible. Until then the shot still waits unchanged and counts as seen.
    const outcomeOf = (shot: WaitingShot): Outcome | undefined =>
      seen.find((one) => isDeepStrictEqual(one.shot, shot))?.outcome;
    const unseen = shots.filter((shot) => outcomeOf(shot) === undefined);
    const [shot] = unseen;
    const place = { at: seen.length + 1, of: seen.length + unseen.length };
    const outcome =
      shot === undefined ? undefined : await reviewShot(reviewing, { shot, take: shot.firstShown, version }, place);
    if (shot === undefined || outcome === 'quit') {
      const isLeft = outcome === 'quit' || shots.some((one) => outcomeOf(one) === 'next');
      return { approved: idsOf('approved'), rejected: idsOf('rejected'), isLeft };
    }
    if (outcome !== undefined && outcome !== 'again') seen.push({ shot, outcome });
  }
}

/** Shows takes of one shot until the person decides about the shot or leaves it. */
async function reviewShot(reviewing: Reviewing, first: Shown, place: { at: number; of: number }): Promise<Outcome> {
  let shown = first;
  let isNew = true;
  for (;;) {
    if (isNew) await reviewing.show(shown, place);
    isNew = false;
    const answer = await reviewing.ask(question(shown));
    const key = answer === undefined ? 'q' : answer.toLowerCase();
    if (key === 'q') return 'quit';
    if (key === 'n') return 'next';
    if (key === 'a' || key === 'r') {
      const outcome = await decide(reviewing, shown, key);
      if (outcome !== undefined) return outcome;
    } else if (key === 'c' && shown.shot.takes.length > 1) {
      const take = await askTake(reviewing, shown.shot);
      isNew = take !== undefined;
      shown = { ...shown, take: take ?? shown.take };
    } else reviewing.tell(`Type one of ${keysOf(shown).join(', ')} and press Enter.`);
  }
}

/** @returns undefined if the person declined, or no take was started; the caller then asks again. */
async function decide(reviewing: Reviewing, shown: Shown, key: 'a' | 'r'): Promise<Outcome | undefined> {
  try {
    if (!(await stillStands(reviewing, shown))) {
      reviewing.tell(`"${shown.shot.id}" has changed since it was shown. Nothing is decided.`);
      return 'again';
    }
    if (key === 'a') return (await reviewing.approve(shown)) ? 'approved' : undefined;
    return (await reviewing.reject(shown)) ? 'rejected' : undefined;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    reviewing.tell(`Refused: ${error.message}`);
    return 'again';
  }
}

async function stillStands(reviewing: Reviewing, { shot, version }: Shown): Promise<boolean> {
  const now = await reviewing.look();
  return now.version === version && now.shots.some((one) => isDeepStrictEqual(one, shot));
}

async function askTake(reviewing: Reviewing, { id, takes }: WaitingShot): Promise<number | undefined> {
  const answer = await reviewing.ask(`Which take of "${id}": ${takes.join(', ')}?`);
  const take = takes.find((one) => String(one) === answer);
  if (take === undefined && answer !== undefined) reviewing.tell(`"${id}" has no take ${answer} to choose.`);
  return take;
}

function question(shown: Shown): string {
  const { shot, take } = shown;
  const approve = shot.for === 'approval' ? `approve take ${take}` : `use take ${take}`;
  const words: Readonly<Record<string, string>> = {
    a: approve,
    r: shot.for === 'approval' ? 'reject' : 'make another take',
    c: 'choose another take',
    n: 'next',
    q: 'quit',
  };
  return `${shot.id}: ${keysOf(shown)
    .map((key) => `${key} ${words[key]}`)
    .join(', ')}?`;
}

function keysOf({ shot }: Shown): readonly string[] {
  return ['a', 'r', ...(shot.takes.length > 1 ? ['c'] : []), 'n', 'q'];
}
