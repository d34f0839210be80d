import { log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type LastFrameInput, type MediaActivities } from '../../contracts/activities';
import { type AssetRef, type TakeFrame } from '../../contracts/asset';
import { type GatewayClient } from '../../gateway';
import { lastFrame as cutLastFrame } from '../../media';
import { type Store } from '../../store';
import { describeMedia } from '../media/describe-media';
import { type DownloadAsset } from './download-asset';
import { failure } from '../fail';
import { type KeepTask } from '../kept-task';
import { type FindFfmpeg, putFrame } from '../media/put-frame';
import { withMediaTries } from '../media/with-media-tries';

/**
 * Number of refusals by ffmpeg after which the failure is final. At the end of some clips, ffmpeg fails on every try,
 * although players can play them.
 */
const TRIES = 5;

export interface LastFrameDependencies {
  readonly gateway: GatewayClient;
  readonly store: Store;
  readonly download: DownloadAsset;
  readonly ffmpeg: FindFfmpeg;
}

export interface TakenClip extends Pick<LastFrameInput, 'take' | 'taskId'> {
  readonly clip: AssetRef;
}

export type TakeLastFrame = (taken: TakenClip, signal: AbortSignal) => Promise<TakeFrame>;

/**
 * Makes the function that stores a clip's last frame: the gateway's own frame if it was requested and is usable,
 * otherwise a frame cut from the clip. So a chain of shots never depends on the gateway's frame.
 *
 * @throws MediaFailed, StoreUnavailable (retried), OutputUnusable, FfmpegMissing, AssetMissing (final).
 */
export function createTakeLastFrame({ gateway, store, download, ffmpeg }: LastFrameDependencies): TakeLastFrame {
  async function gatewayFrame({ take, taskId }: TakenClip, signal: AbortSignal): Promise<AssetRef | undefined> {
    const history = await store.ledger.take(take);
    if (history?.intent.parameters['returnLastFrame'] !== true) return undefined;
    const reading = await gateway.read({ taskId, model: take.model });
    const url = reading.state === 'completed' ? reading.result.lastFrameUrl : null;
    if (url === null) return undefined;
    return download({ url, label: `${take.takeKey}-last-frame`, describe: describeMedia('image'), signal });
  }

  async function cut(clip: AssetRef, signal: AbortSignal): Promise<TakeFrame> {
    if (!(await store.assets.has(clip))) throw failure('AssetMissing', `the clip ${clip.sha256} is not in the store`);
    const asset = await store.assets.withLocalFile(clip, (path) =>
      putFrame(store, async (png) => cutLastFrame(await ffmpeg(), path, png, { signal })),
    );
    return { asset, source: 'clip' };
  }

  return async (taken, signal) => {
    const asset = await gatewayFrame(taken, signal).catch((error: unknown) => {
      const reason = error instanceof ApplicationFailure || error instanceof Error ? error.message : String(error);
      log.warn("the gateway's last frame cannot be fetched; cutting it from the clip", { reason });
      return undefined;
    });
    return asset === undefined ? await cut(taken.clip, signal) : { asset, source: 'gateway' as const };
  };
}

/**
 * Makes the activity that stores the last frame of a clip if `storeOutput` could not.
 *
 * @throws LedgerUnavailable (retried), MediaUnusable, TakeMismatch (final); errors of `takeLastFrame`.
 */
export function createLastFrame(
  { ledger }: Store,
  keepTask: KeepTask,
  takeLastFrame: TakeLastFrame,
): MediaActivities['lastFrame'] {
  return ({ output, ...task }) =>
    withMediaTries(TRIES, async ({ cancellationSignal }) => {
      const { take } = await keepTask({ ...task, acceptedAt: new Date().toISOString() });
      const { taskId } = task;
      const lastFrame = await takeLastFrame({ take, taskId, clip: output.asset }, cancellationSignal);
      await ledger.noteOutput(take, taskId, { ...output, lastFrame });
      return lastFrame;
    });
}
