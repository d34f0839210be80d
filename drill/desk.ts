import { type DailiesClient, Refused } from '../client';
import { type Decision } from '../contracts/decision';
import { type ProductionStatus, type ShotStatus } from '../contracts/status';
import { type Sandbox } from '../sandbox';
import { type Store } from '../store';
import { type DrillProduction } from './productions';

/**
 * A take that is unclear is looked into after this long. What was under way to the gateway has arrived by then: the
 * gateway's list is only as good as the time at which one looks.
 */
const LOOK_INTO_AFTER_MS = 6_000;

export interface DeskOptions {
  readonly client: DailiesClient;
  readonly sandbox: Sandbox;
  readonly store: Store;
}

/**
 * The person at the desk: looks at a production as `dailies status` does, and resolves what is parked by what the
 * gateway's own list says. A production that ended without all of its shots is rendered again.
 *
 * @returns where it stood; undefined before it was begun.
 */
export async function attendTo(
  { frozen, plan }: DrillProduction,
  options: DeskOptions,
): Promise<ProductionStatus | undefined> {
  const { client, store } = options;
  const status = await client.status(frozen.id);
  if (status === undefined || status.state === 'incomplete') {
    await client.render({ productionId: frozen.id, production: await store.putJson(frozen), plan });
  }
  for (const shot of status?.shots ?? []) {
    const decision = await decisionFor(frozen.id, shot, options);
    if (decision !== undefined) await resolve(client, frozen.id, shot.id, decision);
  }
  return status;
}

async function decisionFor(
  productionId: string,
  { id, parked, takes }: ShotStatus,
  { sandbox, store }: DeskOptions,
): Promise<Decision | undefined> {
  if (parked === null) return undefined;
  switch (parked.for) {
    case 'overdue': {
      const task = sandbox.tasks().find((one) => one.id === takes.at(-1)?.taskId);
      return { kind: task?.fate === 'never-ends' ? 'resubmit' : 'wait' };
    }
    case 'uncollected':
      return { kind: 'wait' };
    case 'credits':
    case 'failed':
      return { kind: 'resubmit' };
    case 'unclear': {
      if (Date.now() - Date.parse(parked.since) < LOOK_INTO_AFTER_MS) return undefined;
      const key = takes.at(-1)?.takeKey;
      const known = await knownTasks(store, productionId, id);
      const accepted = sandbox.tasks().find((task) => task.idempotencyKey === key && !known.has(task.id));
      return accepted === undefined ? { kind: 'resubmit' } : { kind: 'adopt', taskId: accepted.id };
    }
  }
}

async function knownTasks({ ledger }: Store, productionId: string, shotId: string): Promise<ReadonlySet<string>> {
  const takes = await ledger.takes(productionId, shotId);
  return new Set(takes.flatMap(({ sendings }) => sendings.flatMap(({ accepted }) => accepted?.taskId ?? [])));
}

/** A refusal says that the shot has gone on meanwhile, or that the gateway cannot be asked now: look again later. */
async function resolve(client: DailiesClient, productionId: string, shotId: string, decision: Decision): Promise<void> {
  try {
    await client.resolve(productionId, shotId, decision);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
