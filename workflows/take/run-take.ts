import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { TakeProgress } from '../../contracts/render/take';
import type { GenerateInput, Parked, TakeOutcome } from '../../contracts/workflows';
import { decisionActivities } from '../temporal/activity-options';
import type { BudgetClient } from './budget-client';
import type { ParkedRun, TaskRun } from './collect-task';
import type { DecisionHandler } from './decision-handler';
import type { HandledDecision } from './decision-seats';
import type { LeaseClient } from './lease-client';
import { isWaitOver, nextStep } from './next-step';
import { NEVER_PREEMPTED, type Preemption } from './preempt-unsent';
import { runTask } from './run-task';
import {
  begun,
  firstState,
  type HeldLease,
  type HeldPermit,
  interrupted,
  NO_LEASE,
  NO_PERMIT,
  parkedForBudget,
  type PermitEnd,
  type SendingStep,
  type StepOf,
  type TakeState,
} from './take-state';

export interface TakeListener {
  accepted(take: TakeProgress): void;
  /** The take failed, and another take follows automatically. */
  followed(take: TakeProgress): void;
  parked(parked: Parked): void;
  /** The take continues after it was parked. */
  resumed(take: TakeProgress): void;
}

/**
 * Whether the shot continues without a take that is parked for this reason. The take then ends as failed, without a
 * decision.
 */
type IsSpare = (parkedFor: Parked['for']) => boolean;

/** The parts of a shot that its takes need. */
export interface TakeSurroundings {
  readonly decisionHandler: DecisionHandler;
  readonly budgetClient: BudgetClient;
  readonly leaseClient: LeaseClient;
  readonly listener: TakeListener;
  /** Default: never. */
  readonly isSpare?: IsSpare;
  /** Default: never. */
  readonly preemption?: Preemption;
  /** Whether a take that was refused for lack of credits should be tried again. Default: a person decides. */
  readonly isRenewed?: () => boolean;
}

type Parts = Required<TakeSurroundings>;

/**
 * Makes one of the takes that a shot runs side by side. If its task fails, sends further ones in its place while the
 * file allows them and the shot needs one, unless the gateway refused the content. Without a result after that, waits
 * for a person's decision, unless the file says how to continue.
 *
 * Nothing is paid for again without a record of why: a further take is recorded with a higher `attempt`, and a take
 * that the gateway may have accepted is sent again only if the ledger has the decision.
 *
 * MAINTENANCE: the number of awaits in each step decides in which order a shot's takes issue commands, and recorded
 * histories expect that order. See docs/decisions/0053-paying-path.md.
 */
export async function runTake(input: GenerateInput, surroundings: TakeSurroundings): Promise<TakeOutcome> {
  const parts = { ...NEVER, ...surroundings };
  const { budgetClient, leaseClient, listener, preemption } = parts;
  let state = firstState(input);
  for (;;) {
    state = observed(state, parts);
    const step = nextStep(state);
    try {
      switch (step.do) {
        case 'send':
        case 'try-next':
        case 'resume':
          if (step.do === 'try-next') listener.followed(step.failed);
          if (step.do === 'resume') listener.resumed(step.parked);
          state = begun(state, step);
          state = { ...state, stage: 'returned', ran: await send(input, step, state, parts) };
          break;
        case 'wait-for-lease': {
          const { wanted, refused, asked } = step;
          const lease = await preemption.whileUnsent((isOver) => leaseClient.wait(wanted, { refused, asked, isOver }));
          state = { ...state, stage: 'lease-asked', lease: { lease, arbiter: wanted.arbiter, asked } };
          break;
        }
        case 'give-lease-back':
          await giveBack(leaseClient, state.lease);
          state = { ...state, ran: null, lease: { ...state.lease, lease: null } };
          break;
        case 'close-lease':
          await closeLease(leaseClient, state.lease, step.isUnused);
          state = { ...state, stage: 'lease-closed', lease: NO_LEASE };
          break;
        case 'ask-budget': {
          const { reservation } = step.ran;
          endPermit(budgetClient, state.permit, step.replaced);
          state = { ...state, stage: 'budget-asked', permit: { is: 'waiting', reservation } };
          state = { ...state, ran: parkedForBudget(await budgetClient.ask(reservation), step.ran) };
          break;
        }
        case 'close-permit':
          if (step.isSent) preemption.sent();
          state = { ...state, stage: 'closed', permit: endPermit(budgetClient, state.permit, step.permit) };
          // Recorded histories need this await: takes that run this step continue one microtask later than takes that
          // get a lease or a permit and are sent.
          await Promise.resolve();
          break;
        case 'resubmit':
          state = (await mayResubmit(step.ran)) ? { ...state, ran: null } : { ...state, stage: 'not-resubmitted' };
          break;
        case 'park':
          state = { ...state, stage: 'decided', unclearParks: state.unclearParks + (step.limit === undefined ? 0 : 1) };
          listener.parked(step.ran.parked);
          state = { ...state, decision: await decision(step, state, parts) };
          break;
        case 'end':
          endPermit(budgetClient, state.permit, step.permit);
          return step.outcome;
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
      state = interrupted(state, step.do);
    }
  }
}

const NEVER = { isSpare: () => false, isRenewed: () => false, preemption: NEVER_PREEMPTED };

/** The state with the current answers of the take's surroundings. */
function observed(state: TakeState, { budgetClient, isSpare, isRenewed, preemption }: Parts): TakeState {
  const { permit } = state;
  const isAsked = permit.is === 'waiting' || permit.is === 'allowed';
  const reason = state.ran?.state === 'parked' ? state.ran.parked.for : null;
  return {
    ...state,
    permit: isAsked ? { ...permit, is: budgetClient.isAllowed(permit.reservation) ? 'allowed' : 'waiting' } : permit,
    isSpare: reason !== null && isSpare(reason),
    isPreempted: preemption.wasPreempted(),
    isRenewed: reason === 'credits' && isRenewed(),
  };
}

function send(
  input: GenerateInput,
  { permit, lease }: SendingStep,
  { attempt }: TakeState,
  { preemption, listener }: Parts,
): Promise<TaskRun> {
  const held = { ...(permit === null ? {} : { permit }), ...(lease === null ? {} : { lease }) };
  return runTask({ ...input, task: { ...input.task, attempt, ...held } }, (take) => {
    preemption.sent();
    listener.accepted(take);
  });
}

function decision({ ran, limit }: StepOf<'park'>, state: TakeState, parts: Parts): Promise<HandledDecision> {
  const { decisionHandler, preemption } = parts;
  const wait = (hasEnded: () => boolean): Promise<HandledDecision> =>
    decisionHandler.waitFor(ran, { limit, isOver: () => hasEnded() || isWaitOver(observed(state, parts)) });
  return ran.parked.for === 'budget' ? preemption.whileUnsent(wait) : wait(() => false);
}

async function giveBack(leaseClient: LeaseClient, { lease, arbiter }: HeldLease): Promise<void> {
  if (lease !== null) await leaseClient.giveBack({ ...lease, ...(arbiter === undefined ? {} : { arbiter }) });
}

async function closeLease(leaseClient: LeaseClient, lease: HeldLease, isUnused: boolean): Promise<void> {
  if (isUnused) await giveBack(leaseClient, lease);
}

function endPermit(budgetClient: BudgetClient, permit: HeldPermit, end: PermitEnd): HeldPermit {
  if (permit.is === 'none' || end === 'kept') return permit;
  if (end === 'used') budgetClient.used(permit.reservation);
  else budgetClient.withdraw(permit.reservation);
  return NO_PERMIT;
}

/**
 * Records that the file's policy sends an unclear take again; `decide` allows this once. Returns true also if the
 * decision is outdated: the send step then continues from the ledger.
 *
 * False if the decision is refused or cannot be recorded: only this take parks, and the shot's other takes continue.
 * Also false if the shot is cancelled.
 */
async function mayResubmit({ parked, ref, decisions }: ParkedRun): Promise<boolean> {
  const input = {
    take: ref,
    seen: decisions,
    parkedFor: parked.for,
    decision: { kind: 'resubmit' },
    by: 'policy',
    output: null,
    taskId: parked.take.taskId,
  } as const;
  try {
    const noted = await decisionActivities('policy').decide(input);
    return noted.recorded || noted.isOutdated;
  } catch (error) {
    if (isCancellation(error) || error instanceof ActivityFailure) return false;
    throw error;
  }
}
