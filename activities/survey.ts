import { type Context } from '@temporalio/activity';
import { type DecisionActivities } from '../contracts/activities';
import { type LeaseEnd, type LeaseKey, type Survey, type SurveyInput } from '../contracts/arbiter';
import { type GatewayClient, GatewayError } from '../gateway';
import {
  createAccountLimits,
  createArbiterEpochs,
  leasedSending,
  type Quotes,
  sendingStanding,
  type Store,
  type TakeHistory,
  wholeAccount,
} from '../store';
import { whileLedgerServes } from './translate-error';
import { withHeartbeat } from './with-heartbeat';

export interface SurveyDependencies {
  readonly account: string;
  readonly gateway: GatewayClient;
  readonly store: Store;
  /** Prices as they are now. */
  readonly quotes: () => Quotes;
}

/**
 * Tells the arbiter what it goes by: the limits in force, and what the ledger has of what it granted. What it has
 * forgotten, and what was sent without asking, is found by a look at the whole account.
 *
 * The epoch begins before anything is looked at. It may run again: it changes nothing else.
 *
 * @throws LedgerUnavailable (retried)
 */
export function createSurvey({ account, gateway, store, quotes }: SurveyDependencies): DecisionActivities['survey'] {
  const limits = createAccountLimits(store.records, account);
  const epochs = createArbiterEpochs(store.records, account);

  async function survey({ begins, whole, held }: SurveyInput, context: Context): Promise<Survey> {
    const runId = context.info.workflowExecution?.runId ?? '';
    const epoch = await (begins === undefined ? epochs.newest() : epochs.begin(runId, begins.follows));
    const ended: LeaseEnd[] = [];
    const unsent: LeaseKey[] = [];
    for (const lease of held) {
      context.cancellationSignal.throwIfAborted();
      const { takeKey, sending } = lease;
      const history = await store.ledger.take(lease);
      const now = sendingStanding(history, lease, lease.deadlineSeconds);
      if (now === 'unsent') unsent.push({ takeKey, sending });
      else if (now !== 'under-way') ended.push({ takeKey, sending, ...now });
      else if (history !== undefined) {
        const credits = await endUnseen(gateway, history, lease);
        if (credits !== undefined) ended.push({ takeKey, sending, how: 'ended', credits });
      }
    }
    const inForce = await limits.inForce();
    return {
      epoch,
      limits: inForce?.limits ?? { account: {}, models: {} },
      force: inForce?.force ?? null,
      ended,
      unsent,
      ...(whole
        ? await wholeAccount(store, {
            account,
            quotes: quotes(),
            alive: () => {
              context.cancellationSignal.throwIfAborted();
            },
          })
        : {}),
    };
  }

  return (input) => withHeartbeat((context) => whileLedgerServes(() => survey(input, context)));
}

/**
 * What a task was charged that has ended while nobody waits for it: one that is overdue, or was given up. The gateway is
 * asked about it alone. Undefined where it is under way yet, or the gateway cannot say.
 */
async function endUnseen(
  gateway: GatewayClient,
  { sendings, intent }: TakeHistory,
  { sending, deadlineSeconds }: SurveyInput['held'][number],
): Promise<number | null | undefined> {
  const accepted = sendings.findLast((one) => leasedSending(one) === sending && one.accepted !== undefined)?.accepted;
  if (accepted === undefined || Date.now() - Date.parse(accepted.at) < deadlineSeconds * 1_000) return undefined;
  const { id, workflow } = intent.model;
  try {
    const model = { id, ...(workflow === undefined ? {} : { workflow }) };
    const reading = await gateway.read({ taskId: accepted.taskId, model });
    return reading.state === 'pending' ? undefined : reading.credits;
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
