import { setTimeout as delay } from 'node:timers/promises';
import { resolveCommand } from '../../client';
import { type FrameSource } from '../../contracts/asset';
import { GENERATIONS } from '../../contracts/identifiers';
import { type Parked, type TakeOutcome } from '../../contracts/workflows';
import { type GatewayClient } from '../../gateway';
import { ledgerState, type TakeHistory } from '../../store';
import { type FirstTask } from './first-task';
import { type GatewayAddress, type Refusal, refusal, refusedReads } from './refused-reads';
import { placeOf, shapeOf } from './result-shape';
import { type Sighting, type WatchedTask, watchTask } from './watch-task';

/** How a gateway handles the points that its specification leaves open, as far as one task shows them. */
export interface FirstContact {
  readonly id: string;
  readonly state: 'completed' | 'failed' | 'parked' | 'skipped' | 'cancelled';
  readonly reason: string | null;
  /** The command that decides about a parked task; null if the task is not parked. */
  readonly resolve: string | null;
  readonly taskId: string | null;
  /** Null if no charge is recorded. The task may have cost credits nevertheless. */
  readonly credits: number | null;
  /** Time from the acceptance until the task's end was read; null if either is not known. */
  readonly seconds: number | null;
  /** This command's reads of the task, without the worker's reads. */
  readonly reads: number;
  readonly transitions: readonly Sighting[];
  /** `taken`: whether the gateway accepted the file; null if this is not known, or no file was sent. */
  readonly fileValue: { readonly by: 'data URI' | 'address' | null; readonly taken: boolean | null };
  /**
   * `place`: path of the frame's address in the result; `beside the result` if the address is elsewhere in the answer;
   * null if no answer with a frame was read. `source`: origin of the stored frame; null if no frame is stored.
   */
  readonly lastFrame: { readonly place: string | null; readonly source: FrameSource | null };
  /** One line for each path in the result, with the kind of its value; at most 40 lines. */
  readonly resultShape: readonly string[];
  readonly refusals: readonly Refusal[];
}

export interface FirstContactOptions {
  readonly gateway: GatewayClient;
  /** The same gateway's address, for a client with another key. */
  readonly gatewayAt: GatewayAddress;
  readonly task: FirstTask;
  /** Runs the task, or returns the outcome of an earlier run. */
  readonly run: () => Promise<TakeOutcome | Parked>;
  readonly readEveryMs: number;
}

/** Interval between two checks of the ledger for the acceptance of the task. */
const LOOK_EVERY_MS = 200;

/** Runs the task like any other task, and meanwhile observes how the gateway answers. */
export async function firstContact(options: FirstContactOptions): Promise<FirstContact> {
  const { gateway, gatewayAt, task, run, readEveryMs } = options;
  const refused = await refusedReads(gateway, gatewayAt);
  const over = new AbortController();
  const watching = watchOnceAccepted(gateway, task, readEveryMs, over.signal);
  // The task is paid for, so a failure of the watch must not lose the report. It becomes one of the report's lines.
  let trouble: Refusal | undefined;
  const watched = watching.catch((error: unknown) => {
    trouble = { asked: 'the watch of the task', answer: error instanceof Error ? error.message : String(error) };
    return undefined;
  });
  try {
    const outcome = await run();
    over.abort();
    const seen = await watched;
    const refusals = trouble === undefined ? refused : [...refused, trouble];
    return contactOf(task, outcome, await task.newestTake(), seen, refusals);
  } finally {
    over.abort();
  }
}

async function watchOnceAccepted(
  gateway: GatewayClient,
  task: FirstTask,
  everyMs: number,
  signal: AbortSignal,
): Promise<WatchedTask | undefined> {
  for (let isLast = false; !isLast;) {
    isLast = signal.aborted;
    const take = await task.newestTake();
    const accepted = take === undefined ? undefined : acceptanceOf(take);
    if (take !== undefined && accepted !== undefined) {
      const { taskId, at } = accepted;
      const { id, workflow } = take.intent.model;
      const model = { id, ...(workflow === undefined ? {} : { workflow }) };
      return watchTask(gateway, { model, taskId, acceptedAt: at, everyMs, signal });
    }
    if (!isLast) await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

function contactOf(
  task: FirstTask,
  outcome: TakeOutcome | Parked,
  take: TakeHistory | undefined,
  watched: WatchedTask | undefined,
  refused: readonly Refusal[],
): FirstContact {
  const { shot, picture } = task;
  const { settled, output } = take ?? {};
  const accepted = take === undefined ? undefined : acceptanceOf(take);
  const result = watched?.last?.state === 'completed' ? watched.last.result : undefined;
  return {
    id: shot.id,
    state: 'for' in outcome ? 'parked' : outcome.state,
    reason: outcome.reason,
    resolve: 'for' in outcome ? resolveCommand(GENERATIONS, shot.id, outcome.for) : null,
    taskId: accepted?.taskId ?? null,
    credits: settled?.credits ?? null,
    seconds:
      accepted === undefined || settled === undefined
        ? null
        : Math.round((Date.parse(settled.at) - Date.parse(accepted.at)) / 1000),
    reads: watched?.reads ?? 0,
    transitions: watched?.sightings ?? [],
    fileValue: { by: picture?.by ?? null, taken: picture === null ? null : wasTaken(take) },
    lastFrame: {
      place: result?.lastFrameUrl == null ? null : (placeOf(result.raw, result.lastFrameUrl) ?? 'beside the result'),
      source: output?.lastFrame?.source ?? null,
    },
    resultShape: result === undefined ? [] : shapeOf(result.raw),
    refusals: [
      ...refused,
      ...(watched?.refusals ?? []).map((error) => refusal('a read of the task', error)),
      ...(take === undefined ? [] : refusedSubmits(take)),
    ],
  };
}

/**
 * Whether the gateway accepted the file; null if that is not known. Only a completed task proves that it did, because
 * the gateway may accept the task first and read the file later. A refused request counts as a refusal of the file.
 */
function wasTaken(take: TakeHistory | undefined): boolean | null {
  if (take === undefined) return null;
  const now = ledgerState(take);
  if (now.is === 'settled') return now.settled.state === 'completed' ? true : null;
  return now.is === 'refused' ? false : null;
}

function acceptanceOf({ sendings }: TakeHistory): { readonly taskId: string; readonly at: string } | undefined {
  return sendings.find(({ accepted }) => accepted !== undefined)?.accepted;
}

function refusedSubmits({ sendings }: TakeHistory): readonly Refusal[] {
  return sendings.flatMap(({ refused, unclear }) => {
    if (refused !== undefined) return [{ asked: 'a submit', answer: refused.reason }];
    return unclear === undefined ? [] : [{ asked: 'a submit that may have been accepted', answer: unclear.reason }];
  });
}
