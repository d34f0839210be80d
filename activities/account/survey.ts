import { type Context } from '@temporalio/activity';
import { type DecisionActivities } from '../../contracts/activities';
import { type LeaseEnd, type LeaseKey, type Survey, type SurveyInput } from '../../contracts/gateway/arbiter';
import { type GatewayClient, GatewayError } from '../../gateway';
import {
  ifReadable,
  isUnclearLease,
  leasedSending,
  longestTaskMs,
  type Quotes,
  sendingState,
  type Store,
  type TakeHistory,
  takeInWords,
  accountInLedger,
} from '../../store';
import { whileLedgerServes } from '../translate-error';
import { withHeartbeat } from '../with-heartbeat';

/**
 * Number of concurrent reads at the gateway, and the time after which no read starts: results of a long survey would
 * be outdated.
 */
const READS_AT_ONCE = 8;
const READ_FOR_MS = 10_000;

export interface SurveyDependencies {
  readonly account: string;
  readonly gateway: GatewayClient;
  readonly store: Store;
  /** Current prices. */
  readonly quotes: () => Quotes;
}

/**
 * Makes the activity that tells the arbiter the limits in force and, from the ledger, the states of its leases.
 *
 * - With `begins`, the survey first begins an epoch: the time in which one run of the arbiter grants leases. A repeated
 *   attempt gets the same epoch, so the activity may run again.
 * - With `whole`, the survey also finds sendings that the arbiter has forgotten, and sendings without a lease.
 * - With neither, the survey also reads overdue tasks from the gateway.
 *
 * @throws LedgerUnavailable (retried)
 */
export function createSurvey({ account, gateway, store, quotes }: SurveyDependencies): DecisionActivities['survey'] {
  const { limits, epochs } = store.account(account);

  async function survey({ begins, whole, held }: SurveyInput, context: Context): Promise<Survey> {
    const alive = (): void => {
      context.cancellationSignal.throwIfAborted();
    };
    const runId = context.info.workflowExecution?.runId ?? '';
    const epoch = await (begins === undefined ? epochs.newest() : epochs.begin(runId, begins.follows));
    const asOfMs = Date.now();
    const found = whole ? await accountInLedger(store.ledger, { account, quotes: quotes(), alive }) : undefined;
    const ended: LeaseEnd[] = [];
    const unsent: LeaseKey[] = [];
    const unclear: LeaseKey[] = [...(found?.unclear ?? [])];
    const unreadable = new Set(found?.unreadable);
    const unreadableLeases: LeaseKey[] = [];
    const unseen: Unseen[] = [];
    for (const lease of held) {
      alive();
      const { takeKey, sending, deadlineSeconds, sinceMs } = lease;
      const read = await ifReadable(() => store.ledger.take(lease));
      if (read === undefined) {
        unreadable.add(takeInWords(lease));
        if (Date.now() - sinceMs > longestTaskMs(deadlineSeconds))
          ended.push({ takeKey, sending, how: 'ended', credits: null });
        else unreadableLeases.push({ takeKey, sending });
        continue;
      }
      const history = read.value;
      const now = sendingState(history, lease, deadlineSeconds);
      if (now === 'unsent') unsent.push({ takeKey, sending });
      else if (now === 'under-way') {
        unseen.push(...overdue(history, lease));
        if (history !== undefined && isUnclearLease(history, sending)) unclear.push({ takeKey, sending });
      } else {
        // Do not report a charge twice. The arbiter already knows the charge if `spent` includes it, or if the take was
        // settled before this lease was granted: an earlier survey has counted that charge.
        const settledMs = Date.parse(history?.settled?.at ?? '');
        const isCharged = found?.counted.has(takeKey) === true || settledMs < sinceMs;
        ended.push({ takeKey, sending, ...now, ...(isCharged ? { credits: 0 } : {}) });
      }
    }
    // The arbiter grants nothing while it begins an epoch or surveys the whole account, so do not wait for the gateway
    // then.
    if (begins === undefined && !whole) ended.push(...(await readUnseen(gateway, unseen)));
    const inForce = await limits.inForce();
    return {
      epoch,
      limits: inForce?.limits ?? { account: {}, models: {} },
      force: inForce?.force ?? null,
      ...{ asOfMs, unreadable: [...unreadable], unreadableLeases, ended, unsent, unclear },
      ...(found === undefined ? {} : { underWay: found.underWay, spent: found.spent }),
    };
  }

  return (input) => withHeartbeat((context) => whileLedgerServes(() => survey(input, context)));
}

/** An overdue task. Its workflow may never report the task's end. */
interface Unseen {
  readonly key: LeaseKey;
  readonly taskId: string;
  readonly model: { readonly id: string; readonly workflow?: string };
}

/** The task of a lease, if the task's deadline has passed. */
function overdue(
  history: TakeHistory | undefined,
  { takeKey, sending, deadlineSeconds }: SurveyInput['held'][number],
): readonly Unseen[] {
  const sendings = history?.sendings ?? [];
  const accepted = sendings.findLast((one) => leasedSending(one) === sending && one.accepted !== undefined)?.accepted;
  if (history === undefined || accepted === undefined) return [];
  if (Date.now() - Date.parse(accepted.at) < deadlineSeconds * 1_000) return [];
  const { id, workflow } = history.intent.model;
  const model = { id, ...(workflow === undefined ? {} : { workflow }) };
  return [{ key: { takeKey, sending }, taskId: accepted.taskId, model }];
}

/**
 * Reads from the gateway which of these tasks have ended, until the time limit. The order is random, so that later
 * surveys reach the remaining tasks.
 */
async function readUnseen(gateway: GatewayClient, unseen: readonly Unseen[]): Promise<readonly LeaseEnd[]> {
  const ended: LeaseEnd[] = [];
  const untilMs = Date.now() + READ_FOR_MS;
  const left = inAnyOrder(unseen).values();
  const readOn = async (): Promise<void> => {
    for (const { key, taskId, model } of left) {
      if (Date.now() > untilMs) return;
      try {
        const reading = await gateway.read({ taskId, model });
        if (reading.state !== 'pending') ended.push({ ...key, how: 'ended', credits: reading.credits });
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readOn));
  return ended;
}

function inAnyOrder<T>(list: readonly T[]): readonly T[] {
  return list
    .map((one) => ({ one, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
}
