import { type SandboxTask } from '../sandbox';
import { isGivenUp, isSkipped, standing, type TakeHistory, tasksOf } from '../store';

/** A take with what the ledger has of it, and whether its bytes are all in the store. */
export interface ReckonedTake {
  readonly production: string;
  readonly shot: string;
  readonly history: TakeHistory;
  readonly isStored: boolean;
}

/** The three sides, as they stand at the end. */
export interface Sides {
  /** What the gateway accepted. */
  readonly tasks: readonly SandboxTask[];
  /** What the ledger says. */
  readonly takes: readonly ReckonedTake[];
  /** Task ids that an answer to a submit carried into a history. */
  readonly historyTaskIds: ReadonlySet<string>;
  /** Productions that have neither ended nor say what they wait for. */
  readonly stuck: readonly string[];
  /** Shots that were missing where a production had ended. */
  readonly missed: readonly MissedShot[];
  /** How often the gateway was made to refuse for good. */
  readonly refusalsDealt: number;
}

/** A shot, or the film itself, that was missing where a render had ended. */
export interface MissedShot {
  readonly production: string;
  readonly renderId: string;
  readonly shot: string;
  readonly state: string;
  readonly reason: string;
}

export interface Reckoning {
  readonly takes: number;
  readonly accepted: number;
  readonly charged: number;
  readonly unclear: number;
  /** Decisions to send an unclear take again. */
  readonly resent: number;
  /** Decisions, by kind. */
  readonly decided: Readonly<Record<string, number>>;
  /** Shots that were missing where a render had ended, and why; the production was rendered again. */
  readonly missed: readonly string[];
  /** Paid tasks that a person has decided not to collect, in words: the price of a decision, and not lost. */
  readonly left: readonly string[];
  /** Tasks that nobody has on the books, and paid clips that are not in the store. */
  readonly lost: number;
  /** Acceptances beyond the first of a take. */
  readonly doubled: number;
  readonly stuck: number;
  /** Each promise that does not hold, in words; empty where all hold. */
  readonly broken: readonly string[];
}

/** Holds the three sides against each other. Pure. Source: docs/guarantees.md. */
export function reckon({ tasks, takes, historyTaskIds, stuck, missed, refusalsDealt }: Sides): Reckoning {
  const acceptedFor = (key: string) => tasks.filter(({ idempotencyKey }) => idempotencyKey === key);
  const keys = new Set(takes.map(({ history }) => history.intent.takeKey));
  const known = new Set(takes.flatMap(({ history }) => tasksOf(history)));
  const broken: string[] = [];
  const left: string[] = [];
  let lost = 0;
  let doubled = 0;

  for (const take of takes) {
    const { history, isStored } = take;
    const name = `take ${history.take} of ${take.shot} in ${take.production}`;
    const accepted = acceptedFor(history.intent.takeKey);
    const unclear = history.sendings.filter(isOpen).length;
    doubled += Math.max(0, accepted.length - 1);
    if (accepted.length > 1 + resends(history)) {
      broken.push(`1. ${name} was accepted ${accepted.length} times, with ${resends(history)} decisions`);
    }
    const unknown = accepted.filter(({ id }) => !known.has(id)).length;
    lost += Math.max(0, unknown - unclear);
    if (unknown > unclear) broken.push(`2. ${name}: ${unknown - unclear} accepted tasks are not on the books`);
    const now = standing(history);
    const isPaid = tasksOf(history).length > 0 && history.settled?.state !== 'failed';
    if (isPaid && isLeft(history)) left.push(`${name}: task ${tasksOf(history).join(', ')}`);
    else if (isPaid && !isStored) {
      lost += 1;
      broken.push(`2. ${name} is paid for, and its clip is not in the store`);
    }
    if (now.is === 'sending') broken.push(`3. ${name} was sent, and nobody has noted what came of it`);
  }

  const strangers = tasks.filter(({ idempotencyKey }) => idempotencyKey === null || !keys.has(idempotencyKey)).length;
  lost += strangers;
  if (strangers > 0) broken.push(`2. the gateway has ${strangers} tasks that no take asked for`);
  for (const id of historyTaskIds)
    if (!known.has(id)) broken.push(`2. a history knows task ${id}, and the ledger does not`);
  broken.push(...unexplained(missed, takes, refusalsDealt).map((line) => `3. ${line}`));
  for (const id of stuck) broken.push(`3. ${id} has not ended, and does not say why`);

  const sendings = takes.flatMap(({ history }) => history.sendings);
  const noted = sendings.filter(({ accepted }) => accepted !== undefined).length;
  const open = sendings.filter(isOpen).length;
  if (noted > tasks.length || tasks.length > noted + open) {
    broken.push(`4. the ledger has ${noted} accepted and ${open} unclear, and the gateway accepted ${tasks.length}`);
  }
  return {
    takes: takes.length,
    accepted: tasks.length,
    charged: tasks.reduce((sum, { credits }) => sum + credits, 0),
    unclear: sendings.filter(({ unclear }) => unclear !== undefined).length,
    resent: takes.reduce((sum, { history }) => sum + resends(history), 0),
    decided: countByKind(takes.flatMap(({ history }) => history.decisions)),
    missed: missed.map(inWords),
    left,
    lost,
    doubled,
    stuck: stuck.length,
    broken,
  };
}

/** Whether a person has decided to go on without what the take's task leaves. */
function isLeft(history: TakeHistory): boolean {
  return isGivenUp(history) || isSkipped(history) || standing(history).is === 'used';
}

/** A sending of which nobody has learned, to the end, whether it was accepted. */
function isOpen({ unclear, accepted, refused }: TakeHistory['sendings'][number]): boolean {
  return unclear !== undefined && accepted === undefined && refused === undefined;
}

/** A shot may be missing for a refusal that was dealt, or for another one that is; for nothing else. */
function unexplained(
  missed: readonly MissedShot[],
  takes: readonly ReckonedTake[],
  refusalsDealt: number,
): readonly string[] {
  const refusals = takes.flatMap(({ production, shot, history }) =>
    history.sendings.flatMap(({ refused }) => (refused?.again === false ? [[production, shot, refused.reason]] : [])),
  );
  const known = new Set(refusals.map((refusal) => refusal.join(' ')));
  const wasRefused = ({ production, shot, state, reason }: MissedShot): boolean =>
    state === 'failed' && known.has([production, shot, reason].join(' '));
  const renders = new Set(missed.filter(wasRefused).map(({ renderId }) => renderId));
  const isExplained = (one: MissedShot): boolean =>
    wasRefused(one) || (one.state === 'blocked' && renders.has(one.renderId));
  return [
    ...missed.filter((one) => !isExplained(one)).map((one) => `no fault explains that ${inWords(one)}`),
    ...(refusals.length > refusalsDealt
      ? [`${refusals.length} sendings were refused for good, and ${refusalsDealt} refusals were dealt`]
      : []),
  ];
}

function inWords({ production, shot, state, reason }: MissedShot): string {
  return `${shot} in ${production} was ${state}: ${reason}`;
}

function countByKind(decisions: readonly { readonly kind: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind } of decisions) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Decisions to send again what may have been accepted; those after a refusal or a failed task risk nothing. */
function resends({ decisions, sendings }: TakeHistory): number {
  const unclear = new Set(sendings.filter((sending) => sending.unclear !== undefined).map(({ n }) => n));
  return decisions.filter(({ kind, afterSending }) => kind === 'resubmit' && unclear.has(afterSending)).length;
}
