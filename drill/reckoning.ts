import { type SandboxTask } from '../sandbox';
import { standing, type TakeHistory } from '../store';

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
}

export interface Reckoning {
  readonly takes: number;
  readonly accepted: number;
  readonly charged: number;
  readonly unclear: number;
  /** Decisions to send an unclear take again. */
  readonly resent: number;
  /** Tasks that nobody has on the books, and paid clips that are not in the store. */
  readonly lost: number;
  /** Acceptances beyond the first of a take. */
  readonly doubled: number;
  readonly stuck: number;
  /** Each promise that does not hold, in words; empty where all hold. */
  readonly broken: readonly string[];
}

/** Holds the three sides against each other. Pure. Source: docs/guarantees.md. */
export function reckon({ tasks, takes, historyTaskIds, stuck }: Sides): Reckoning {
  const acceptedFor = (key: string) => tasks.filter(({ idempotencyKey }) => idempotencyKey === key);
  const keys = new Set(takes.map(({ history }) => history.intent.takeKey));
  const known = new Set(takes.flatMap(({ history }) => taskIdsOf(history)));
  const broken: string[] = [];
  let lost = 0;
  let doubled = 0;

  for (const take of takes) {
    const { history, isStored } = take;
    const name = `take ${history.take} of ${take.shot} in ${take.production}`;
    const accepted = acceptedFor(history.intent.takeKey);
    const unclear = history.sendings.filter((sending) => sending.unclear !== undefined).length;
    doubled += Math.max(0, accepted.length - 1);
    if (accepted.length > 1 + resends(history)) {
      broken.push(`1. ${name} was accepted ${accepted.length} times, with ${resends(history)} decisions`);
    }
    const unknown = accepted.filter(({ id }) => !known.has(id)).length;
    lost += Math.max(0, unknown - unclear);
    if (unknown > unclear) broken.push(`2. ${name}: ${unknown - unclear} accepted tasks are not on the books`);
    const now = standing(history);
    const isPaid = now.is === 'settled' && now.settled.state === 'completed';
    if (isPaid && !isStored) {
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
    lost,
    doubled,
    stuck: stuck.length,
    broken,
  };
}

function isOpen({ unclear, accepted }: TakeHistory['sendings'][number]): boolean {
  return unclear !== undefined && accepted === undefined;
}

/** Decisions to send again what may have been accepted; those after a refusal or a failed task risk nothing. */
function resends({ decisions, sendings }: TakeHistory): number {
  const unclear = new Set(sendings.filter((sending) => sending.unclear !== undefined).map(({ n }) => n));
  return decisions.filter(({ kind, afterSending }) => kind === 'resubmit' && unclear.has(afterSending)).length;
}

function taskIdsOf({ sendings }: TakeHistory): readonly string[] {
  return sendings.flatMap(({ accepted }) => accepted?.taskId ?? []);
}
