import { type DecideInput, type DecideOutcome } from '../../contracts/activities';
import { type OutputKind } from '../../contracts/gateway/models';
import { type GatewayClient, GatewayError, readRefusal, type TaskReading, type TaskResultReading } from '../../gateway';
import {
  isOwnTaskId,
  isOutputStored,
  currentOutput,
  type Settled,
  ledgerState,
  type Store,
  type TakeHistory,
} from '../../store';
import { settledRecord } from '../settle-take';
import { keptResult, mainFile } from '../task-result';
import { whileLedgerServes } from '../translate-error';

type Refusal = Extract<DecideOutcome, { recorded: false }>;

/**
 * Returns the reason why a decision must not be recorded; undefined if it may be recorded. Only `resubmit` decisions
 * about a take that is parked as `overdue` or `uncollected` are checked. Reasons:
 *
 * - The paid task has ended since the shot was parked.
 * - The task's output has arrived.
 * - The task's output can now be collected.
 * - Reading the task fails with an error other than `no such task` and `task gone`.
 *
 * The last two reasons are ignored if `decision.unread` is set, or if Dailies made the task id: no gateway knows it.
 *
 * Reads the task at most once, and records its end if the ledger lacks it.
 */
export async function objectionToPayingAgain(
  gateway: GatewayClient,
  store: Store,
  { take, decision, parkedFor }: DecideInput,
  history: TakeHistory,
): Promise<Refusal | undefined> {
  if (decision.kind !== 'resubmit' || (parkedFor !== 'overdue' && parkedFor !== 'uncollected')) return undefined;
  const now = ledgerState(history);
  if (now.is !== 'accepted' && now.is !== 'settled') return undefined;
  const output = currentOutput(history);
  if (output !== undefined && (await isOutputStored(store.assets, output)))
    return outdated('the output of its task has arrived');
  const settled = now.is === 'settled' ? now.settled : undefined;
  if (settled !== undefined && parkedFor === 'overdue') return outdated(endInWords(settled));
  const taskId = settled?.taskId ?? (now.is === 'accepted' ? now.taskId : '');
  if (isOwnTaskId(take.takeKey, taskId)) return undefined;
  const reading = await readOnce(gateway, { taskId, model: take.model });
  if (reading instanceof GatewayError) {
    if (isForgotten(reading) || decision.unread === true) return undefined;
    return unread(taskId, reading);
  }
  if (reading.state === 'pending') return undefined;
  if (settled === undefined) {
    const end = await whileLedgerServes(() => store.ledger.settle(take, settledRecord(taskId, reading)));
    return outdated(endInWords(end));
  }
  const isCollectable = reading.state === 'completed' && hasMore(reading.result, settled, history.intent.model.output);
  // An output that is listed but cannot be downloaded must not block another take forever.
  if (!isCollectable || decision.unread === true) return undefined;
  return outdated(`the output of task ${taskId} has appeared at the gateway (--yes pays for another take anyway)`);
}

async function readOnce(
  gateway: GatewayClient,
  task: Parameters<GatewayClient['read']>[0],
): Promise<TaskReading | GatewayError> {
  try {
    return await gateway.read(task);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

function isForgotten(error: GatewayError): boolean {
  return ['no such task', 'task gone'].includes(readRefusal(error) ?? '');
}

/** True if the gateway now reports an output, but reported none when the task ended. */
function hasMore(now: TaskResultReading, { raw }: Settled, output: OutputKind): boolean {
  const isThere = ({ text, files }: TaskResultReading): boolean =>
    output === 'text' ? text !== null : mainFile(files, output) !== undefined;
  return raw !== null && !isThere(keptResult(raw)) && isThere(now);
}

function endInWords({ taskId, state }: Settled): string {
  return `task ${taskId} has ended as ${state}`;
}

function outdated(what: string): Refusal {
  return { recorded: false, reason: `meanwhile ${what}; the shot continues with it`, isOutdated: true };
}

function unread(taskId: string, { message }: GatewayError): Refusal {
  const reason =
    `task ${taskId} is paid for and may have ended, but it cannot be read now: ${message}. Nothing was changed. ` +
    'Decide again when the gateway answers. To pay for another take anyway, use --yes (in a program: `unread: true`)';
  return { recorded: false, reason, isOutdated: false };
}
