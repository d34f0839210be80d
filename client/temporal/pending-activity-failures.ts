import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { type QueuedTask } from '../../contracts/arbiter';
import { type ProductionStatus } from '../../contracts/status';

/**
 * Interval between checks of a production. Each costs one call for each running shot, and a trouble that is over by the
 * next check need not be shown.
 */
const LOOK_EVERY_MS = 4_000;

/** Longest excerpt of a failure message, in characters: one line of a display. */
const WORDS_MAX = 300;

/** Failure types that are no trouble: a normal wait, and a hold, which the production reports itself. */
const NO_TROUBLE: ReadonlySet<string> = new Set(['TaskPending', 'RunUnderWay', 'ProductionHeld']);

/** Key of the production itself among its shots. */
const ITSELF = '';

/** Why a shot does not progress, by shot. Nothing else asks Temporal about the activities of running shots. */
type Troubles = ReadonlyMap<string, string>;

interface Look {
  readonly atMs: number;
  readonly found: Troubles;
  /** Troubles that two checks in a row found; after the first check all that it found. */
  readonly lasting: Troubles;
}

/** Adds to a running production's status why it or its shots do not progress. Only Temporal knows this. */
export type TellTroubles = (status: ProductionStatus) => Promise<ProductionStatus>;

/** What is asked: the workflows of a production and its shots, and the queue for leases. */
export interface TroubleSources {
  production(productionId: string): WorkflowHandle;
  shot(productionId: string, shotId: string): WorkflowHandle;
  queue(): Promise<readonly QueuedTask[]>;
}

export function createTellTroubles(handles: TroubleSources): TellTroubles {
  const looks = new Map<string, Look>();

  async function lookAt({ production, shots }: ProductionStatus): Promise<Troubles> {
    const underWay = shots.filter(({ state }) => state === 'rendering');
    const [queue, ...found] = await Promise.all([
      underWay.length === 0 ? [] : handles.queue(),
      troubleOf(handles.production(production)).then((words) => [ITSELF, words] as const),
      ...underWay.map(async ({ id }) => [id, await troubleOf(handles.shot(production, id))] as const),
    ]);
    const turns = queue.filter((waiting) => waiting.production === production);
    return new Map([
      ...turns.map(({ shot, waitsFor }) => [shot, `waits to be sent: ${waitsFor}`] as const),
      ...found.flatMap(([id, words]) => (words === undefined ? [] : [[id, triesAgain(words)] as const])),
    ]);
  }

  return async (status) => {
    let look = looks.get(status.production);
    if (look === undefined || Date.now() - look.atMs >= LOOK_EVERY_MS) {
      const before = look?.found;
      const found = await lookAt(status);
      const lasting = before === undefined ? found : new Map([...found].filter(([shot]) => before.has(shot)));
      look = { atMs: Date.now(), found, lasting };
      looks.set(status.production, look);
    }
    const { lasting } = look;
    const ownWords = lasting.get(ITSELF);
    return {
      ...status,
      reason: status.reason ?? ownWords ?? null,
      shots: status.shots.map((shot) => {
        const words = shot.state === 'rendering' ? lasting.get(shot.id) : undefined;
        return words === undefined ? shot : { ...shot, reason: words };
      }),
    };
  };
}

function triesAgain(words: string): string {
  return `tries again: ${words}`;
}

/** The last failure of a workflow's activity that is being retried. @param noTrouble failure types to ignore. */
export async function troubleOf(
  workflow: WorkflowHandle,
  noTrouble: ReadonlySet<string> = NO_TROUBLE,
): Promise<string | undefined> {
  try {
    const { raw } = await workflow.describe();
    const failures = (raw.pendingActivities ?? []).map(({ lastFailure }) => lastFailure);
    const trouble = failures.find(
      (failure) => failure?.applicationFailureInfo != null && !noTrouble.has(failure.applicationFailureInfo.type ?? ''),
    );
    return trouble?.message?.slice(0, WORDS_MAX);
  } catch (error) {
    // The production counts a shot as started a moment before Temporal knows its workflow.
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
