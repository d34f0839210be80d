import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TakeProgress } from '../../contracts/take';
import type { Parked, ShotInput, ShotOutcome, ShotProgress, TakeOutcome } from '../../contracts/workflows';
import { reportProgressSignal, shotProgressSignal } from '../messages';
import { openUiDetails } from '../progress/ui-details';
import type { BudgetClient } from '../take/budget-client';
import type { TakeListener } from '../take/run-take';

/** Reports a shot's state to its production, and shows it in Temporal's UI and search attributes. */
export interface ShotReport {
  /** Returns the listener for one of the takes side by side. */
  listener(sibling: number): TakeListener;
  takeEnded(sibling: number, outcome: TakeOutcome): void;
  /** A take is chosen. It waits for an approval, or is final. */
  chosen(take: TakeProgress, isInReview: boolean): void;
  /** Resolves when the report is delivered, if the production needs one. */
  ended(outcome: ShotOutcome): Promise<void>;
  /** All takes that this run knows, by number. */
  takes(): ReadonlyMap<number, TakeProgress>;
}

type Standing = Pick<
  ShotProgress,
  'state' | 'reason' | 'parkedFor' | 'parkedTakes' | 'waitsForBudget' | 'takesUnderWay' | 'filmTake'
>;

/** Registers the signal by which the production asks for a full report. To be called before anything is awaited. */
export function openShotReport(input: ShotInput, budgetClient: BudgetClient): ShotReport {
  const { shotId, permit } = input.task;
  /** A production with a budget is told each charge at once. */
  const hasBudget = permit !== undefined;
  const runId = workflowInfo().firstExecutionRunId;
  const narrate = openUiDetails(input);
  const takes = new Map<number, TakeProgress>();
  /** Takes that were not reported since their last change. */
  const news = new Map<number, TakeProgress>();
  /** Numbers of accepted takes that are neither ended nor overdue. */
  const awaited = new Set<number>();
  /** By sibling; null unless it is parked. */
  const open = new Map<number, Parked | null>(Array.from({ length: input.takes }, (_, sibling) => [sibling, null]));
  let isTelling = false;
  let isDue = false;
  /** Whether the production has asked for a full report. */
  let isAllAsked = false;
  /** Whether it has ever asked. It was reset or has another history then, and does not see the end of this run. */
  let isOfOlder = false;
  let end: ShotOutcome | null = null;
  let choice: { readonly take: TakeProgress; readonly isInReview: boolean } | null = null;

  function standing(): Standing {
    const parked = [...open.values()].filter((one) => one !== null).toSorted((a, b) => a.take.take - b.take.take);
    const takesUnderWay = open.size - parked.length;
    const filmTake = choice?.take.take ?? null;
    const chosen = { reason: null, parkedFor: null, waitsForBudget: false, takesUnderWay, filmTake };
    if (choice?.isInReview === true) {
      // A take that waits for the budget may be chosen too, once it is allowed.
      return { ...chosen, state: 'review', reason: parked.length === 0 ? null : parked.map(inWords).join('; ') };
    }
    if (choice !== null) return { ...chosen, state: 'rendering' };
    // A take parked for the budget may continue by itself, so a reason that only a person can answer comes first.
    const first = parked.find((one) => one.for !== 'budget') ?? parked[0];
    // While a take is under way, the shot may still continue without the parked ones.
    if (first === undefined || takesUnderWay > 0) return { ...chosen, state: 'rendering' };
    const waitsForBudget = parked.some((one) => one.for === 'budget');
    const reason = parked.length === 1 ? first.reason : parked.map(inWords).join('; ');
    return { ...chosen, state: 'parked', reason, parkedFor: first.for, ...namedTakes(parked), waitsForBudget };
  }

  /** The takes that an answer has to name: several, or one that is not the newest. */
  function namedTakes(parked: readonly Parked[]): Pick<Standing, 'parkedTakes'> {
    const newest = Math.max(...takes.keys());
    if (parked.length === 1 && parked[0]?.take.take === newest) return {};
    return { parkedTakes: parked.map(({ take, for: parkedFor }) => ({ take: take.take, for: parkedFor })) };
  }

  /** The state to report. A take that is approved automatically at once is not reported as in review. */
  function standingToTell(): Standing {
    const now = standing();
    const isApprovedAtOnce = now.state === 'review' && input.review?.withinSeconds === 0;
    return isApprovedAtOnce ? { ...now, state: 'rendering', reason: null, filmTake: null } : now;
  }
  function tell(words: string): void {
    const now = standing();
    narrate(now.state, now.reason ?? words);
    tellProduction();
  }
  function tellProduction(): void {
    isDue = true;
    if (!isTelling) void CancellationScope.nonCancellable(deliver);
  }
  /** Sends one signal at a time, since two may arrive out of order. */
  async function deliver(): Promise<void> {
    isTelling = true;
    while (isDue) {
      const told = isAllAsked ? takes : news;
      const reservations = isAllAsked && hasBudget ? { reservations: budgetClient.standing() } : {};
      const progress = {
        shotId,
        runId,
        takes: [...told.values()],
        awaited: [...awaited],
        ...standingToTell(),
        ...reservations,
        ...(end === null ? {} : { ended: end }),
      };
      isDue = false;
      isAllAsked = false;
      news.clear();
      await signalProduction(progress);
    }
    isTelling = false;
  }
  function note(take: TakeProgress): void {
    takes.set(take.take, take);
    news.set(take.take, take);
  }
  function moved(sibling: number, take: TakeProgress, parked: Parked | null, words: string): void {
    note(take);
    open.set(sibling, parked);
    tell(words);
  }

  setHandler(reportProgressSignal, () => {
    isOfOlder = true;
    if (takes.size === 0 && !hasBudget) return;
    isAllAsked = true;
    tellProduction();
  });
  narrate('rendering', `waiting for the gateway to accept the task (${input.model})`);

  return {
    takes: () => takes,
    listener: (sibling) => ({
      accepted(take) {
        awaited.add(take.take);
        moved(sibling, take, null, `take ${take.take}: task ${take.taskId ?? ''} at the gateway`);
      },
      followed(take) {
        awaited.delete(take.take);
        note(take);
        if (hasBudget) tell(`take ${take.take} failed; another one follows`);
      },
      parked(parked) {
        awaited.delete(parked.take.take);
        moved(sibling, parked.take, parked, parked.reason);
      },
      resumed(take) {
        moved(sibling, take, null, 'goes on');
      },
    }),
    takeEnded(sibling, { state, reason, take }) {
      const before = standing();
      open.delete(sibling);
      if (take !== null) {
        awaited.delete(take.take);
        note(take);
      }
      if (open.size === 0 && choice?.isInReview !== true) return;
      // The first completed take is reported when it is chosen, and the last end by the shot's own end.
      const isNews = choice === null ? state !== 'completed' && standing().state !== before.state : choice.isInReview;
      // The production shows takes that an answer has to name: one of them is no longer parked.
      const isStillParked = before.parkedTakes !== undefined && standing().state === 'parked';
      const words = reason ?? `take ${take?.take ?? 0} has ended`;
      if (!isNews && !hasBudget && (!isStillParked || !patched('parked-takes-told'))) return;
      tell(words);
    },
    chosen(take, isInReview) {
      note(take);
      choice = { take, isInReview };
      // The shot's own end reports the final choice if it follows at once.
      if (isInReview || open.size > 0) tell(`take ${take.take} ${isInReview ? 'waits for an approval' : 'stands'}`);
    },
    async ended(outcome) {
      const { state, reason, filmTake } = outcome;
      narrate(state, reason ?? `take ${filmTake ?? 0}`);
      end = outcome;
      if (!isOfOlder) return;
      tellProduction();
      await CancellationScope.nonCancellable(() => condition(() => !isTelling));
    },
  };
}

/** The production shows the budget's figures, which change with every charge. */
function inWords({ take, for: why, reason }: Parked): string {
  return `take ${take.take}: ${why === 'budget' ? 'waits for the budget' : reason}`;
}

/** If the production is gone, the report is not needed: the next render reads the ledger. */
async function signalProduction(progress: ShotProgress): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  const production = getExternalWorkflowHandle(parent.workflowId);
  await production.signal(shotProgressSignal, progress).catch(() => undefined);
}
