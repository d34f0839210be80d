import { type Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type AssetRef } from '../contracts/asset';
import { type MediaActivities, type StoreOutputInput, type TakeOutput } from '../contracts/activities';
import { type FailureType } from '../contracts/failures';
import { type FrozenShot } from '../contracts/frozen';
import { type GatewayClient, type TaskReading } from '../gateway';
import { firstFrame as cutFirstFrame } from '../media';
import { type Store } from '../store';
import { describeMedia, describeOnly } from './describe-media';
import { type DownloadAsset } from './download-asset';
import { failure } from './fail';
import { type FindFfmpeg, putFrame } from './put-frame';
import { type FrozenProductions } from './frozen-productions';
import { outputWarnings } from './output-warnings';
import { storeTrouble, unreadable } from './translate-error';
import { withHeartbeat } from './with-heartbeat';

/** The next try at an address that is not there yet, or no longer. */
const RETRY_MS = 2_000;

/** A clip that does not decode is kept all the same, since it is paid for; ffmpeg may have been killed before. */
const FRAME_ATTEMPTS = 3;

export interface StoreOutputDependencies {
  readonly gateway: GatewayClient;
  readonly store: Store;
  readonly productions: FrozenProductions;
  readonly download: DownloadAsset;
  readonly ffmpeg: FindFfmpeg;
}

type Completed = Extract<TaskReading, { state: 'completed' }>;

/**
 * Brings a completed task's output into the store, whole and probed, with the clip's first frame.
 *
 * The address is read from the gateway by each attempt, since addresses expire; an interrupted download goes on
 * where it stopped. A clip that is not quite what was asked for is kept, with a warning: it is paid for.
 *
 * @throws GatewayUnreadable, DownloadInterrupted, StoreUnavailable (retried), OutputUnusable, AddressRefused (final).
 */
export function createStoreOutput(dependencies: StoreOutputDependencies): MediaActivities['storeOutput'] {
  const { gateway, store, productions } = dependencies;
  return (input) =>
    withHeartbeat(async (context) => {
      const reading = await readCompleted(gateway, input);
      const asset = await collect(dependencies, input, reading, context.cancellationSignal).catch((error: unknown) => {
        throw storeTrouble(error);
      });
      const shot = await productions.shot(input.production, input.take.shotId);
      const output = await describeOutput(dependencies, shot, asset, context);
      await store.ledger.noteOutput(input.take, output);
      return output;
    });
}

async function readCompleted(gateway: GatewayClient, { take, taskId }: StoreOutputInput): Promise<Completed> {
  const reading = await gateway.read({ taskId, model: take.model }).catch((error: unknown) => {
    throw unreadable(error, RETRY_MS);
  });
  if (reading.state === 'completed') return reading;
  throw failure('GatewayUnreadable', `task ${taskId} was completed and is now read as ${reading.state}`, {
    nextRetryDelayMs: RETRY_MS,
  });
}

async function collect(
  { store, download }: StoreOutputDependencies,
  { take, taskId, output }: StoreOutputInput,
  { result }: Completed,
  signal: AbortSignal,
): Promise<AssetRef> {
  if (output === 'text') {
    if (result.text === null) throw failure('OutputUnusable', `task ${taskId} left no text`);
    return store.assets.putBytes(Buffer.from(result.text), describeOnly('text/plain'));
  }
  const url = result.url ?? result.itemUrls[0];
  if (url === undefined) {
    throw failure('DownloadInterrupted', `task ${taskId} is COMPLETED without an address`, {
      nextRetryDelayMs: RETRY_MS,
    });
  }
  return download({ url, label: take.takeKey, describe: describeMedia(output), signal });
}

async function describeOutput(
  { store, ffmpeg }: StoreOutputDependencies,
  shot: FrozenShot,
  asset: AssetRef,
  { info, cancellationSignal: signal }: Context,
): Promise<TakeOutput> {
  const warnings = outputWarnings(shot, asset);
  const none = { asset, firstFrame: null, lastFrame: null, warnings };
  if (!asset.mediaType.startsWith('video/')) return none;
  const clip = store.assets.localPath(asset);
  try {
    const firstFrame = await putFrame(store, async (png) => cutFirstFrame(await ffmpeg(), clip, png, { signal }));
    return { ...none, firstFrame };
  } catch (error) {
    const isMediaFailure = error instanceof ApplicationFailure && error.type === ('MediaFailed' satisfies FailureType);
    if (!isMediaFailure || info.attempt < FRAME_ATTEMPTS) throw error;
    return { ...none, warnings: [...warnings, `its first frame cannot be decoded: ${error.message}`] };
  }
}
