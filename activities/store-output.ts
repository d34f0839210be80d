import { Context, type Info, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type AssetRef, type TakeFrame } from '../contracts/asset';
import { type MediaActivities, type StoreOutputInput, type TakeOutput } from '../contracts/activities';
import { type FailureType } from '../contracts/failures';
import { knownModel, type OutputKind } from '../contracts/models';
import { carriedFrame, frameLinks } from '../contracts/frame-links';
import { type GatewayClient, GatewayError, type TaskResultReading } from '../gateway';
import { firstFrame as cutFirstFrame } from '../media';
import { isOwnTaskId, outputOf, type Settled, type Store } from '../store';
import { type Background } from './background';
import { describeMedia, describeOnly, outputIs } from './describe-media';
import { type DownloadAsset } from './download-asset';
import { failure } from './fail';
import { type FindFfmpeg, putFrame } from './put-frame';
import { type FrozenProductions } from './frozen-productions';
import { type KeepTask } from './kept-task';
import { type TakeLastFrame } from './last-frame';
import { measureClip } from './measure-clip';
import { type RenderAhead } from './render-ahead';
import { keptResult, mainFile } from './task-result';
import { outputWarnings } from './output-warnings';
import { storeTrouble, unreadable } from './translate-error';
import { withHeartbeat } from './with-heartbeat';

/** The next try to read a task that the gateway does not tell of just now. */
const RETRY_MS = 2_000;

/**
 * How often something else than the output may come, as a storage's page in place of the clip, or no address yet. By
 * the growing delays of the retry policy these are two minutes: most such things pass in that time, and what does not
 * is for a person to look at.
 */
const OUTPUT_TRIES = 8;

/** A clip that does not decode is kept all the same, since it is paid for; ffmpeg may have been killed before. */
const FRAME_ATTEMPTS = 3;

/** Carried from attempt to attempt by heartbeat, since other failures count as attempts too. */
interface Tries {
  unusable: number;
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
 * Brings a completed task's output into the store, whole and probed, with the clip's first and last frame. In a chain it
 * is measured and rendered for the film too, while what starts on it goes on.
 *
 * The address is read from the gateway by each attempt, since addresses expire; an interrupted download goes on
 * where it stopped. What is no such output at all is tried again some times. A clip that is not quite what was asked
 * for is kept, with a warning: it is paid for.
 *
 * @throws GatewayUnreadable, DownloadInterrupted, StoreUnavailable (retried), OutputUnusable, OutputOfOtherKind,
 *   AddressRefused, TakeMismatch (final).
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
  // A clip that a person once gave is not what this task has left.
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
  // Noted before frames are cut: whatever becomes of those, the bytes are not fetched again.
  if (!isStored && isClip(asset)) await store.ledger.noteOutput(input.take, input.taskId, collected);
  const lastFrame = lastFrameOf(dependencies, input, asset, context);
  // Whatever becomes of the one, the other ends within this attempt.
  const [framed] = await Promise.allSettled([withFirstFrame(dependencies, collected, context), lastFrame]);
  if (framed.status === 'rejected') throw framed.reason;
  const output = { ...framed.value, lastFrame: await lastFrame };
  await store.ledger.noteOutput(input.take, input.taskId, output);
  const production = await productions.load(input.production);
  const isStartedOn = production.shots.some((other) => frameLinks(other).some((link) => link.shot === shotId));
  // A long clip is decoded whole for this, and its chain goes on meanwhile, unless what comes next is corrected by it.
  const lowPriority = production.shots.every((other) => carriedFrame(other)?.anchor === undefined);
  if (isStartedOn) {
    background.start((signal) => measureClip(dependencies, production, shotId, asset, { signal, lowPriority }));
    await renderAhead.begin(production, shotId, asset);
  } else {
    await measureClip(dependencies, production, shotId, asset, { signal: context.cancellationSignal });
  }
  return output;
}

/** Null where it cannot be had now: an activity of its own tries that again. */
async function lastFrameOf(
  { takeLastFrame }: StoreOutputDependencies,
  { take, taskId, output }: StoreOutputInput,
  asset: AssetRef,
  { cancellationSignal: signal }: Context,
): Promise<TakeFrame | null> {
  if (output !== 'video') return null;
  return takeLastFrame({ take, taskId, clip: asset }, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    log.warn('the last frame cannot be had now; it is tried again by itself', { reason: String(error) });
    return null;
  });
}

/** The same words, as a failure that is retried, until that has been in vain often enough. */
function triedAgain(error: ApplicationFailure, tries: Tries): ApplicationFailure {
  tries.unusable += 1;
  return tries.unusable < OUTPUT_TRIES ? failure('DownloadInterrupted', error.message, { cause: error }) : error;
}

function isUnusable(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === ('OutputUnusable' satisfies FailureType);
}

function triesSoFar({ heartbeatDetails }: Info): Tries {
  return { unusable: (heartbeatDetails as Partial<Tries> | null | undefined)?.unusable ?? 0 };
}

async function collect(
  { gateway, store, download }: StoreOutputDependencies,
  input: StoreOutputInput,
  settled: Settled | undefined,
  { cancellationSignal: signal }: Context,
): Promise<AssetRef> {
  const { take, output } = input;
  const { text, files } = await readResultOf(gateway, input, settled);
  if (output === 'text') {
    if (text === null) throw failure('OutputUnusable', 'it is COMPLETED without a text');
    return store.assets.putBytes(Buffer.from(text), describeOnly('text/plain'));
  }
  const file = mainFile(files, output);
  if (file !== undefined) {
    const describe = describeMedia(output, knownModel(take.model.id)?.output === output);
    return download({ url: file.url, label: take.takeKey, describe, signal });
  }
  if (text !== null) throw failure('OutputOfOtherKind', outputIs('text', output));
  throw failure('OutputUnusable', 'it is COMPLETED without an address; the ledger has its result as it came');
}

/** What a task left beyond what is collected of it, in a person's words. */
function leftBehind(settled: Settled | undefined, output: OutputKind): string[] {
  const files = settled?.raw == null || settled.state === 'failed' ? [] : keptResult(settled.raw).files;
  const others = files.filter(({ isImage, isBeside }) => isImage === (output === 'image') && !isBeside).length - 1;
  return others > 0 ? [`the task left ${others} more of the kind, which stay at the gateway`] : [];
}

/**
 * The task's result, read anew, since addresses expire. What the ledger kept serves for text, and where the gateway
 * does not let the task be read, as it may be for one that came by execute.
 */
async function readResultOf(
  gateway: GatewayClient,
  { take, taskId, output }: StoreOutputInput,
  settled: Settled | undefined,
): Promise<TaskResultReading> {
  const kept = settled?.raw == null || settled.state === 'failed' ? undefined : keptResult(settled.raw);
  if (output === 'text' && kept !== undefined && kept.text !== null) return kept;
  // What came by an execute that told no id can be read nowhere else.
  if (isOwnTaskId(take.takeKey, taskId) && kept !== undefined) return kept;
  try {
    const reading = await gateway.read({ taskId, model: take.model });
    if (reading.state === 'completed') return reading.result;
  } catch (error) {
    if (kept === undefined || !isNotTold(error)) {
      throw unreadable(error, (retryAfterMs) => Math.max(retryAfterMs, RETRY_MS));
    }
  }
  if (kept !== undefined) return kept;
  throw failure('GatewayUnreadable', `task ${taskId} was completed and is now read otherwise`, {
    nextRetryDelayMs: RETRY_MS,
  });
}

/** Whether the gateway answers, and will not tell of the task: neither trouble of its own, nor with the key. */
function isNotTold(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.status === null) return false;
  return error.status < 500 && ![401, 403, 408, 425, 429].includes(error.status);
}

function isClip({ mediaType }: AssetRef): boolean {
  return mediaType.startsWith('video/');
}

async function withFirstFrame(
  { store, ffmpeg }: StoreOutputDependencies,
  output: TakeOutput,
  { info, cancellationSignal: signal }: Context,
): Promise<TakeOutput> {
  if (!isClip(output.asset)) return output;
  const clip = store.assets.localPath(output.asset);
  try {
    const firstFrame = await putFrame(store, async (png) => cutFirstFrame(await ffmpeg(), clip, png, { signal }));
    return { ...output, firstFrame };
  } catch (error) {
    const isMediaFailure = error instanceof ApplicationFailure && error.type === ('MediaFailed' satisfies FailureType);
    if (!isMediaFailure || info.attempt < FRAME_ATTEMPTS) throw error;
    return { ...output, warnings: [...output.warnings, `its first frame cannot be decoded: ${error.message}`] };
  }
}
