import { type SandboxTask } from '../sandbox';
import { isGivenUp, isSkipped, ledgerState, type TakeHistory, tasksOf } from '../store';

/** A take's records in the ledger, and whether its bytes are in the store. */
export interface ReckonedTake {
  readonly production: string;
  readonly shot: string;
  readonly history: TakeHistory;
  readonly isStored: boolean;
}

/** The records that the drill compares at its end. */
export interface ReckoningInput {
  /** Tasks that the gateway accepted. */
  readonly tasks: readonly SandboxTask[];
  /** Takes in the ledger. */
  readonly takes: readonly ReckonedTake[];
  /** Takes in the ledger right before each loss of the ledger. The restored ledger lacks some of their records. */
  readonly beforeLosses: readonly ReckonedTake[];
  /** Ids of the tasks that the submit and execute activities returned, read from Temporal's histories. */
  readonly historyTaskIds: ReadonlySet<string>;
  /** Ids of the productions that did not complete in time. */
  readonly stuck: readonly string[];
  /** Shots that were missing when a render ended. */
  readonly missed: readonly MissedShot[];
  /** Number of final refusals that the drill injected. */
  readonly refusalsInjected: number;
  /** Number of workers that served a copy of the store. */
  readonly copiesServed: number;
}

/** A shot, or the film itself, that was missing when a render ended. */
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
  /** Unclear sendings that a restore of the ledger recorded. Their takes may have been sent after the backup. */
  readonly held: number;
  /** Decisions to send an unclear take again. */
  readonly resent: number;
  /** Number of decisions by kind. */
  readonly decided: Readonly<Record<string, number>>;
  /** Shots that were missing when a render ended, and why. The production was rendered again. */
  readonly missed: readonly string[];
  /** Paid tasks in the ledger that never end, or that a person decided not to collect. They do not count as lost. */
  readonly left: readonly string[];
  /** Tasks for which the ledger has neither a record nor an unclear sending, plus paid takes without stored output. */
  readonly lost: number;
  /** Tasks beyond the first of each take. */
  readonly doubled: number;
  readonly stuck: number;
  /** Each broken promise, in words; empty if all hold. */
  readonly broken: readonly string[];
}

/** Compares gateway, ledger and histories. Each broken promise begins with its number in docs/guarantees.md. */
export function reckon(sides: ReckoningInput): Reckoning {
  const { tasks, takes, beforeLosses, historyTaskIds, stuck, missed, refusalsInjected, copiesServed } = sides;
  const resends = resendsIn([...takes, ...beforeLosses]);
  const endless = new Set(tasks.filter(({ fate }) => fate === 'never-ends').map(({ id }) => id));
  const acceptedFor = (key: string) => tasks.filter(({ idempotencyKey }) => idempotencyKey === key);
  const keys = new Set(takes.map(({ history }) => history.intent.takeKey));
  const recorded = new Set(takes.flatMap(({ history }) => tasksOf(history)));
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
    const decided = resends.get(history.intent.takeKey) ?? 0;
    if (accepted.length > 1 + decided) {
      broken.push(`1. ${name} was accepted ${accepted.length} times, with ${decided} decisions to send again`);
    }
    const unknown = accepted.filter(({ id }) => !recorded.has(id)).length;
    lost += Math.max(0, unknown - unclear);
    if (unknown > unclear) broken.push(`2. ${name}: ${unknown - unclear} accepted tasks are not in the ledger`);
    const current = ledgerState(history);
    const isPaid = tasksOf(history).length > 0 && history.settled?.state !== 'failed';
    const isEndless = tasksOf(history).every((id) => endless.has(id));
    if (isPaid && (isOutputGivenUp(history) || isEndless)) left.push(`${name}: task ${tasksOf(history).join(', ')}`);
    else if (isPaid && !isStored) {
      lost += 1;
      broken.push(`2. ${name} is paid for, and its clip is not in the store`);
    }
    if (current.is === 'sending') broken.push(`3. ${name} was sent, and no outcome is recorded`);
  }

  const unrequested = tasks.filter(({ idempotencyKey }) => idempotencyKey === null || !keys.has(idempotencyKey)).length;
  lost += unrequested;
  if (unrequested > 0) broken.push(`2. the gateway has ${unrequested} tasks that no take asked for`);
  for (const id of historyTaskIds)
    if (!recorded.has(id)) broken.push(`2. a history has task ${id}, and the ledger does not`);
  broken.push(...unexplained(missed, [...takes, ...beforeLosses], refusalsInjected).map((line) => `3. ${line}`));
  if (copiesServed > 0) broken.push(`1. ${copiesServed} workers served a copy of the store`);
  for (const id of stuck) broken.push(`3. ${id} did not complete`);

  const sendings = takes.flatMap(({ history }) => history.sendings);
  const noted = sendings.filter(({ accepted }) => accepted !== undefined).length;
  const open = sendings.filter(isOpen).length;
  const held = sendings.filter(({ unclear }) => unclear?.['restored'] !== undefined).length;
  if (noted > tasks.length || tasks.length > noted + open) {
    broken.push(`4. sendings in the ledger: ${noted} accepted, ${open} unclear; tasks at the gateway: ${tasks.length}`);
  }
  return {
    takes: takes.length,
    accepted: tasks.length,
    charged: tasks.reduce((sum, { credits }) => sum + credits, 0),
    unclear: sendings.filter(({ unclear }) => unclear !== undefined).length - held,
    held,
    resent: [...resends.values()].reduce((sum, count) => sum + count, 0),
    decided: countByKind(takes.flatMap(({ history }) => history.decisions)),
    missed: missed.map(inWords),
    left,
    lost,
    doubled,
    stuck: stuck.length,
    broken,
  };
}

/** True if a person decided to continue without the output of the take's task. */
function isOutputGivenUp(history: TakeHistory): boolean {
  return isGivenUp(history) || isSkipped(history) || ledgerState(history).is === 'used';
}

/** True if it is still unknown whether the gateway accepted this sending. */
function isOpen({ unclear, accepted, refused }: TakeHistory['sendings'][number]): boolean {
  return unclear !== undefined && accepted === undefined && refused === undefined;
}

/**
 * Lists missing shots that no refusal explains, and any excess of refusals over injected refusals. A final refusal
 * explains its own failed shot, and the blocked shots of the same render.
 */
function unexplained(
  missed: readonly MissedShot[],
  takes: readonly ReckonedTake[],
  refusalsInjected: number,
): readonly string[] {
  const refusals = takes.flatMap(({ production, shot, history }) =>
    history.sendings.flatMap(({ refused }) =>
      refused?.again === false ? [{ production, shot, reason: refused.reason, at: refused.at }] : [],
    ),
  );
  const recorded = new Set(refusals.map(({ production, shot, reason }) => [production, shot, reason].join(' ')));
  // A refusal that is recorded both before and after a loss of the ledger counts once.
  const count = new Set(refusals.map((refusal) => JSON.stringify(refusal))).size;
  const wasRefused = ({ production, shot, state, reason }: MissedShot): boolean =>
    state === 'failed' && recorded.has([production, shot, reason].join(' '));
  const renders = new Set(missed.filter(wasRefused).map(({ renderId }) => renderId));
  const isExplained = (one: MissedShot): boolean =>
    wasRefused(one) || (one.state === 'blocked' && renders.has(one.renderId));
  return [
    ...missed.filter((one) => !isExplained(one)).map((one) => `no fault explains that ${inWords(one)}`),
    ...(count > refusalsInjected
      ? [`${count} sendings were refused for good, and ${refusalsInjected} refusals were injected`]
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

/**
 * Number of decisions to resubmit unclear takes, by take key. Decisions after a refusal or a failed task do not count,
 * since they do not risk a second charge for one sending. A decision that is recorded both before and after a loss of
 * the ledger counts once.
 */
function resendsIn(takes: readonly ReckonedTake[]): ReadonlyMap<string, number> {
  const found = new Map<string, Set<string>>();
  for (const { history } of takes) {
    const { decisions, sendings, intent } = history;
    const unclear = new Set(sendings.filter((sending) => sending.unclear !== undefined).map(({ n }) => n));
    const recorded = found.get(intent.takeKey) ?? new Set();
    for (const decision of decisions) {
      if (decision.kind === 'resubmit' && unclear.has(decision.afterSending)) recorded.add(decision.at);
    }
    found.set(intent.takeKey, recorded);
  }
  return new Map([...found].map(([key, recorded]) => [key, recorded.size]));
}
