import { getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import type { TakeProgress } from '../contracts/take';
import type { Parked, ShotInput, ShotOutcome, ShotProgress, TakeOutcome } from '../contracts/workflows';
import { reportProgressSignal, shotProgressSignal } from './messages';
import { openNarration } from './narrate';
import type { TakeListener } from './run-take';

/** Where a shot stands, told to its production and to whoever looks by Temporal's own means. */
export interface ShotReport {
  /** For what becomes of one of the takes side by side. */
  listener(sibling: number): TakeListener;
  takeEnded(sibling: number, outcome: TakeOutcome): void;
  /** A take is chosen; it waits for an approval, or stands for the shot from now on. */
  chosen(take: TakeProgress, isInReview: boolean): void;
  ended(outcome: ShotOutcome): void;
  /** All that this run knows of, by number. */
  takes(): ReadonlyMap<number, TakeProgress>;
  /** Whether any take is under way or parked. */
  isOpen(): boolean;
}

type Standing = Pick<ShotProgress, 'state' | 'reason' | 'parkedFor' | 'takesUnderWay' | 'filmTake'>;

/** Registers the signal by which the production asks for all of it. To be called before anything is awaited. */
export function openShotReport(input: ShotInput): ShotReport {
  const { shotId } = input.task;
  const runId = workflowInfo().firstExecutionRunId;
  const narrate = openNarration(input);
  const takes = new Map<number, TakeProgress>();
  /** By sibling; null while it is under way. */
  const open = new Map<number, Parked | null>(Array.from({ length: input.takes }, (_, sibling) => [sibling, null]));
  let choice: { readonly take: TakeProgress; readonly isInReview: boolean } | null = null;

  function standing(): Standing {
    const parked = [...open.values()].filter((one) => one !== null);
    const takesUnderWay = open.size - parked.length;
    const chosen = { reason: null, parkedFor: null, takesUnderWay, filmTake: choice?.take.take ?? null };
    if (choice !== null) return { ...chosen, state: choice.isInReview ? 'review' : 'rendering' };
    const [first] = parked;
    // While a take is under way, the shot may yet go on without the ones that wait.
    if (first === undefined || takesUnderWay > 0) return { ...chosen, state: 'rendering' };
    const reason =
      parked.length === 1
        ? first.reason
        : parked.map(({ take, reason: why }) => `take ${take.take}: ${why}`).join('; ');
    return { ...chosen, state: 'parked', reason, parkedFor: first.for };
  }

  function tell(news: readonly TakeProgress[], words: string): void {
    const now = standing();
    narrate(now.state, now.reason ?? words);
    tellProduction({ shotId, runId, takes: news, ...now });
  }
  function noted(sibling: number, take: TakeProgress, parked: Parked | null, words: string): void {
    takes.set(take.take, take);
    open.set(sibling, parked);
    tell([take], words);
  }

  setHandler(reportProgressSignal, () => {
    if (takes.size > 0) tellProduction({ shotId, runId, takes: [...takes.values()], ...standing() });
  });
  narrate('rendering', `waiting for the gateway to accept the task (${input.model})`);

  return {
    takes: () => takes,
    isOpen: () => open.size > 0,
    listener: (sibling) => ({
      accepted(take) {
        noted(sibling, take, null, `take ${take.take}: task ${take.taskId ?? ''} at the gateway`);
      },
      parked(parked) {
        noted(sibling, parked.take, parked, parked.reason);
      },
      resumed(take) {
        noted(sibling, take, null, 'goes on');
      },
    }),
    takeEnded(sibling, { state, reason, take }) {
      const before = standing().state;
      open.delete(sibling);
      if (take !== null) takes.set(take.take, take);
      // The last one is told of by the shot's own end, unless that waits for a review; the first to complete when it is
      // chosen.
      const isNews = choice === null ? state !== 'completed' && standing().state !== before : choice.isInReview;
      if (isNews && (open.size > 0 || choice !== null))
        tell(take === null ? [] : [take], reason ?? `take ${take?.take ?? 0} has ended`);
    },
    chosen(take, isInReview) {
      takes.set(take.take, take);
      choice = { take, isInReview };
      const { state } = standing();
      // What stands is told by the shot's own end where that is due.
      if (isInReview || open.size > 0)
        tell([take], `take ${take.take} ${isInReview ? 'waits for an approval' : 'stands'}`);
      else narrate(state, `take ${take.take} stands`);
    },
    ended({ state, reason, filmTake }) {
      narrate(state, reason ?? `take ${filmTake ?? 0}`);
    },
  };
}

/** A production that is gone needs no telling: the ledger knows, and the next render asks it. */
function tellProduction(progress: ShotProgress): void {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  getExternalWorkflowHandle(parent.workflowId)
    .signal(shotProgressSignal, progress)
    .catch(() => undefined);
}
