import { type DailiesClient, Refused } from '../client';
import { type Decision } from '../contracts/decision';
import { chosenTakeOf, type ProductionStatus, type ShotStatus } from '../contracts/status';
import { type Sandbox } from '../sandbox';
import { pick, seededRandom } from '../sandbox/random';
import { type Store } from '../store';
import { type DrillProduction } from './productions';
import { type MissedShot } from './reckoning';

/**
 * A take that is unclear is looked into after this long. What was under way to the gateway has arrived by then: the
 * gateway's list is only as good as the time at which one looks.
 */
const LOOK_INTO_AFTER_MS = 6_000;

export interface DeskOptions {
  readonly client: DailiesClient;
  readonly sandbox: Sandbox;
  readonly store: Store;
  /** The same seed takes the same decisions. */
  readonly seed: number;
}

/** The person at the desk. */
export interface Desk {
  /**
   * Looks at a production as `dailies status` does, and resolves what is parked by what the gateway's own list says. A
   * production that ended without all of its shots is rendered again, and remembered.
   *
   * @returns where it stood; undefined before it was begun.
   */
  attendTo(film: DrillProduction): Promise<ProductionStatus | undefined>;
  /** The shots that were missing where a production had ended. */
  missed(): readonly MissedShot[];
}

export function openDesk(options: DeskOptions): Desk {
  const { client, store } = options;
  /** By render, since an ended one may be looked at more than once. */
  const missed = new Map<string, readonly MissedShot[]>();
  return {
    async attendTo(film) {
      const { frozen, plan } = film;
      const status = await client.status(frozen.id);
      if (status !== undefined && status.state !== 'running') missed.set(status.renderId, missedShots(status));
      if (status === undefined || status.state === 'incomplete') {
        await client.render({ productionId: frozen.id, production: await store.putJson(frozen), plan });
      }
      for (const shot of status?.shots ?? []) {
        const decision = await decisionFor(film, shot, status?.shots ?? [], options);
        if (decision !== undefined) await resolve(client, frozen.id, shot.id, decision);
      }
      return status;
    },
    missed: () => [...missed.values()].flat(),
  };
}

function missedShots({ production, renderId, shots, assembly, reason }: ProductionStatus): readonly MissedShot[] {
  const missing = shots.filter(({ state }) => state !== 'completed' && state !== 'skipped');
  return [
    ...missing.map(({ id, state, reason: why }) => ({ production, renderId, shot: id, state, reason: why ?? '' })),
    ...(assembly === 'failed'
      ? [{ production, renderId, shot: 'the film', state: assembly, reason: reason ?? '' }]
      : []),
  ];
}

async function decisionFor(
  film: DrillProduction,
  { id, parked, takes }: ShotStatus,
  siblings: readonly ShotStatus[],
  { sandbox, store, seed }: DeskOptions,
): Promise<Decision | undefined> {
  if (parked === null) return undefined;
  const unpaid = (): Decision => drawn(film, id, siblings, seed);
  switch (parked.for) {
    case 'overdue': {
      const task = sandbox.tasks().find((one) => one.id === takes.at(-1)?.taskId);
      return { kind: task?.fate === 'never-ends' ? 'resubmit' : 'wait' };
    }
    case 'uncollected':
      return { kind: 'wait' };
    case 'budget':
      return { kind: 'skip' };
    case 'credits':
    case 'failed':
      return unpaid();
    case 'unclear': {
      if (Date.now() - Date.parse(parked.since) < LOOK_INTO_AFTER_MS) return undefined;
      const key = takes.at(-1)?.takeKey;
      const known = await knownTasks(store, film.frozen.id, id);
      const accepted = sandbox.tasks().find((task) => task.idempotencyKey === key && !known.has(task.id));
      return accepted === undefined ? unpaid() : { kind: 'adopt', taskId: accepted.id };
    }
  }
}

/**
 * What goes on where nothing that was paid for is left to be had: mostly another submit; at times a clip of one's own,
 * or none, where no other shot starts on it.
 */
function drawn({ frozen, plan }: DrillProduction, id: string, siblings: readonly ShotStatus[], seed: number): Decision {
  const clip = siblings.flatMap((shot) => (shot.state === 'completed' ? (chosenTakeOf(shot)?.asset ?? []) : []))[0];
  const isStartedOn = plan.shots.some(({ links }) => links.some(({ shot }) => shot === id));
  const kind = pick(seededRandom(`desk ${frozen.id} ${id}`, seed), 'resubmit', 'resubmit', 'use', 'skip');
  if (kind === 'use' && clip != null) return { kind, asset: clip };
  return { kind: kind === 'skip' && !isStartedOn ? kind : 'resubmit' };
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
