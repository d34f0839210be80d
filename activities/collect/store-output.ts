import { Context, type Info, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type AssetRef, type TakeFrame } from '../../contracts/asset';
import { type MediaActivities, type StoreOutputInput, type TakeOutput } from '../../contracts/activities';
import { type FailureType } from '../../contracts/failures';
import { knownModel, type OutputKind } from '../../contracts/gateway/models';
import { carriedFrame, frameLinks } from '../../contracts/file/frame-links';
import { type GatewayClient, GatewayError, type TaskResultReading } from '../../gateway';
import { firstFrame as cutFirstFrame } from '../../media';
import { isOwnTaskId, outputOf, type Settled, type Store } from '../../store';
import { type Background } from '../background';
import { describeMedia, typeOnly, outputIs } from '../media/describe-media';
import { type DownloadAsset } from './download-asset';
import { failure } from '../fail';
import { type FindFfmpeg, putFrame } from '../media/put-frame';
import { type FrozenProductions } from '../frozen-productions';
import { type KeepTask } from '../kept-task';
import { type TakeLastFrame } from './last-frame';
import { measureClip } from '../media/measure-clip';
import { type RenderAhead } from '../film/render-ahead';
import { isOfKind, keptResult, mainFile } from '../task-result';
import { settledRecord } from '../settle-take';
import { outputWarnings } from './output-warnings';
import { storeTrouble, unreadable } from '../translate-error';
import { withHeartbeat } from '../with-heartbeat';

/** Shortest delay before the task is read again, if the gateway does not report its result. */
const RETRY_MS = 2_000;

/**
 * Number of attempts that may get something other than the output, for example an error page of the storage service, or
 * no address yet. With the retry policy's growing delays they take two minutes. Most such problems pass in that time;
 * the rest need a person.
 */
const OUTPUT_TRIES = 8;

/**
 * Number of failed cuts after which a clip is stored without its first frame, since the clip is paid for. Before that,
 * cutting is retried: ffmpeg may have been killed.
 */
const FRAME_TRIES = 3;

/**
 * Counts that heartbeats carry from attempt to attempt. Temporal's attempt number cannot replace them, because it
 * counts all failures.
 */
interface Tries {
  /** Number of attempts that got an unusable output. */
  unusable: number;
  /** Number of attempts that could not cut the first frame. */
  uncut: number;
}

export interface StoreOutputDependencies {
  readonly gateway: GatewayClient;
  readonly store: Store;
  readonly productions: FrozenProductions;
  readonly keepTask: KeepTask;
  readonly download: DownloadAsset;
  readonly ffmpeg: FindFfmpeg;
  readonly takeLastFrame: TakeLastFrame;
  readonly renderAhead: RenderAhead;
  readonly background: Background;
}

/**
 * Makes the activity that stores a completed task's output; for a clip, also its first and last frame. In a chain
 * (shots that start on each other's last frames), it also measures the clip's colors. If other shots use the clip's
 * frames, the measurement runs in the background, and the clip's piece of the film is rendered in advance
 * (`RenderAhead`).
 *
 * Before a download, each attempt reads the address from the gateway if it can, since addresses expire. An interrupted
 * download continues. If the output is missing or unusable, the activity is retried a few times; an output of another
 * kind than declared is final at once. A clip that differs from the request is kept with a warning: it is paid for.
 *
 * @throws GatewayUnreadable, DownloadInterrupted, MediaFailed, StoreUnavailable, LedgerUnavailable (retried),
 *   OutputUnusable, OutputOfOtherKind, AddressRefused, TakeMismatch, FfmpegMissing, AssetMissing (final).
 */
export function createStoreOutput(dependencies: StoreOutputDependencies): MediaActivities['storeOutput'] {
  return (input) => {
    const tries = triesSoFar(Context.current().info);
    return withHeartbeat(
      async (context) => {
        try {
          return await collectOutput(dependencies, input, tries, context);
        } catch (error) {
          throw storeTrouble(error);
        }
      },
      () => tries,
    );
  };
}

async function collectOutput(
  dependencies: StoreOutputDependencies,
  asked: StoreOutputInput,
  tries: Tries,
  context: Context,
): Promise<TakeOutput> {
  const { store, productions, renderAhead, background } = dependencies;
  const { take, history } = await dependencies.keepTask({ ...asked, acceptedAt: new Date().toISOString() });
  const input = { ...asked, take };
  // A clip that a person gave earlier is not this task's output.
  const stored = outputOf(history, input.taskId);
  const isStored = stored !== undefined && (await store.assets.has(stored.asset));
  const asset = isStored
    ? stored.asset
    : await collect(dependencies, input, history.settled, context).catch((error: unknown) => {
        throw isUnusable(error) ? triedAgain(error, tries) : error;
      });
  const { shotId } = input.take;
  const shot = await productions.shot(input.production, shotId);
  const warnings = [...outputWarnings(shot, asset), ...leftBehind(history.settled, input.output)];
  const collected = { asset, firstFrame: null, lastFrame: null, warnings };
  // Record the clip before its frames are cut: even if cutting fails, the bytes are not downloaded again.
  if (!isStored && isClip(asset)) await store.ledger.noteOutput(input.take, input.taskId, collected);
  const lastFrame = lastFrameOf(dependencies, input, asset, context);
  // Wait for both frames even if one fails, so that no work outlives this attempt.
  const [framed] = await Promise.allSettled([withFirstFrame(dependencies, collected, tries, context), lastFrame]);
  if (framed.status === 'rejected') throw framed.reason;
  const output = { ...framed.value, lastFrame: await lastFrame };
  await store.ledger.noteOutput(input.take, input.taskId, output);
  const production = await productions.load(input.production);
  const isStartedOn = production.shots.some((other) => frameLinks(other).some((link) => link.shot === shotId));
  // Measuring decodes the whole clip. In the background it has low priority, unless a frame's correction needs the
  // result.
  const lowPriority = production.shots.every((other) => carriedFrame(other)?.anchor === undefined);
  if (isStartedOn) {
    background.start((signal) => measureClip(dependencies, production, shotId, asset, { signal, lowPriority }));
    await renderAhead.begin(production, shotId, asset);
  } else {
    await measureClip(dependencies, production, shotId, asset, { signal: context.cancellationSignal });
  }
  return output;
}

/** Null if the output is no video, or if the frame cannot be stored now. The activity `lastFrame` tries again later. */
async function lastFrameOf(
  { takeLastFrame }: StoreOutputDependencies,
  { take, taskId, output }: StoreOutputInput,
  asset: AssetRef,
  { cancellationSignal: signal }: Context,
): Promise<TakeFrame | null> {
  if (output !== 'video') return null;
  return takeLastFrame({ take, taskId, clip: asset }, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    log.warn('the last frame cannot be stored now; the activity lastFrame tries again', { reason: String(error) });
    return null;
  });
}

/**
 * Counts an unusable output. Before the count reaches OUTPUT_TRIES, returns a retried failure with the same message.
 */
function triedAgain(error: ApplicationFailure, tries: Tries): ApplicationFailure {
  tries.unusable += 1;
  return tries.unusable < OUTPUT_TRIES ? failure('DownloadInterrupted', error.message, { cause: error }) : error;
}

function isUnusable(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === ('OutputUnusable' satisfies FailureType);
}

function triesSoFar({ heartbeatDetails }: Info): Tries {
  const { unusable = 0, uncut = 0 } = (heartbeatDetails as Partial<Tries> | null | undefined) ?? {};
  return { unusable, uncut };
}

async function collect(
  { gateway, store, download }: StoreOutputDependencies,
  input: StoreOutputInput,
  settled: Settled | undefined,
  { cancellationSignal: signal }: Context,
): Promise<AssetRef> {
  const { take, output } = input;
  const { text, files } = await readResultOf({ gateway, store }, input, settled);
  if (output === 'text') {
    if (text === null) throw failure('OutputUnusable', 'the task is COMPLETED without a text');
    return store.assets.putBytes(Buffer.from(text), typeOnly('text/plain'));
  }
  const file = mainFile(files, output);
  if (file !== undefined) {
    const describe = describeMedia(output, knownModel(take.model.id)?.output !== output);
    return download({ url: file.url, label: take.takeKey, describe, signal });
  }
  if (text !== null) throw failure('OutputOfOtherKind', outputIs('text', output));
  throw failure('OutputUnusable', 'the task is COMPLETED without an address; the ledger has its result as it came');
}

/** A warning for a person if the task has several outputs of the kind `output`. Only one of them is collected. */
function leftBehind(settled: Settled | undefined, output: OutputKind): string[] {
  const files = settled?.raw == null || settled.state === 'failed' ? [] : keptResult(settled.raw).files;
  const others = files.filter((file) => isOfKind(file, output) && !file.isBeside).length - 1;
  const counted =
    others === 1 ? '1 more output of this kind, which is' : `${others} more outputs of this kind, which are`;
  return others > 0 ? [`the task has ${counted} not collected`] : [];
}

/**
 * The task's result, read again since addresses expire. The ledger's copy is used in three cases: for text; if the
 * answer to an execute (a call that answers with the result) had no task id; and if the gateway does not report the
 * task as completed, as may happen after an execute.
 *
 * Records the task's end if the ledger has lost it: a restored ledger may lack the end that the workflow knows.
 */
async function readResultOf(
  { gateway, store }: Pick<StoreOutputDependencies, 'gateway' | 'store'>,
  { take, taskId, output }: StoreOutputInput,
  settled: Settled | undefined,
): Promise<TaskResultReading> {
  const kept = settled?.raw == null || settled.state === 'failed' ? undefined : keptResult(settled.raw);
  if (output === 'text' && kept !== undefined && kept.text !== null) return kept;
  // The ledger has the only copy of the result of an execute without an id.
  if (isOwnTaskId(take.takeKey, taskId) && kept !== undefined) return kept;
  try {
    const reading = await gateway.read({ taskId, model: take.model });
    if (reading.state === 'completed') {
      if (settled === undefined) await store.ledger.settle(take, settledRecord(taskId, reading));
      return reading.result;
    }
  } catch (error) {
    if (kept === undefined || !isWithoutResult(error)) {
      throw unreadable(error, (retryAfterMs) => Math.max(retryAfterMs, RETRY_MS));
    }
  }
  if (kept !== undefined) return kept;
  throw failure('GatewayUnreadable', `task ${taskId} was completed, but the gateway now reports another state`, {
    nextRetryDelayMs: RETRY_MS,
  });
}

/** True if the gateway answered without the result, but not because of the API key, throttling, timing or an outage. */
function isWithoutResult(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.status === null) return false;
  return error.status < 500 && ![401, 403, 408, 425, 429].includes(error.status);
}

function isClip({ mediaType }: AssetRef): boolean {
  return mediaType.startsWith('video/');
}

async function withFirstFrame(
  { store, ffmpeg }: StoreOutputDependencies,
  output: TakeOutput,
  tries: Tries,
  { cancellationSignal: signal }: Context,
): Promise<TakeOutput> {
  if (!isClip(output.asset)) return output;
  try {
    const firstFrame = await store.assets.withLocalFile(output.asset, (clip) =>
      putFrame(store, async (png) => cutFirstFrame(await ffmpeg(), clip, png, { signal })),
    );
    return { ...output, firstFrame };
  } catch (error) {
    const isMediaFailure = error instanceof ApplicationFailure && error.type === ('MediaFailed' satisfies FailureType);
    if (!isMediaFailure) throw error;
    tries.uncut += 1;
    if (tries.uncut < FRAME_TRIES) throw error;
    return { ...output, warnings: [...output.warnings, `its first frame cannot be decoded: ${error.message}`] };
  }
}
