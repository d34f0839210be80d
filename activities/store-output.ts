import { type Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type AssetRef } from '../contracts/asset';
import { type MediaActivities, type StoreOutputInput, type TakeOutput } from '../contracts/activities';
import { type FailureType } from '../contracts/failures';
import { type GatewayClient, GatewayError, readResult, type TaskResultReading } from '../gateway';
import { firstFrame as cutFirstFrame } from '../media';
import { type Settled, type Store } from '../store';
import { describeMedia, describeOnly } from './describe-media';
import { type DownloadAsset } from './download-asset';
import { failure } from './fail';
import { type FindFfmpeg, putFrame } from './put-frame';
import { type FrozenProductions } from './frozen-productions';
import { outputWarnings } from './output-warnings';
import { storeTrouble, unreadable, whileLedgerServes } from './translate-error';
import { withHeartbeat } from './with-heartbeat';

/** The next try at an address that is not there yet, or no longer. */
const RETRY_MS = 2_000;

/** Some gateways name the address a moment after the state. */
const ADDRESS_ATTEMPTS = 5;

/** A clip that does not decode is kept all the same, since it is paid for; ffmpeg may have been killed before. */
const FRAME_ATTEMPTS = 3;

export interface StoreOutputDependencies {
  readonly gateway: GatewayClient;
  readonly store: Store;
  readonly productions: FrozenProductions;
  readonly download: DownloadAsset;
  readonly ffmpeg: FindFfmpeg;
}

/**
 * Brings a completed task's output into the store, whole and probed, with the clip's first frame.
 *
 * The address is read from the gateway by each attempt, since addresses expire; an interrupted download goes on
 * where it stopped. A clip that is not quite what was asked for is kept, with a warning: it is paid for.
 *
 * @throws GatewayUnreadable, DownloadInterrupted, StoreUnavailable (retried), OutputUnusable, AddressRefused (final).
 */
export function createStoreOutput(dependencies: StoreOutputDependencies): MediaActivities['storeOutput'] {
  const { store, productions } = dependencies;
  return (input) =>
    withHeartbeat(async (context) => {
      const history = await whileLedgerServes(() => store.ledger.take(input.take));
      const stored = history?.output;
      const isStored = stored !== undefined && (await store.assets.has(stored.asset));
      const asset = isStored ? stored.asset : await collect(dependencies, input, history?.settled, context);
      const shot = await productions.shot(input.production, input.take.shotId);
      const warnings = outputWarnings(shot, asset);
      // Noted before frames are cut: whatever becomes of those, the bytes are not fetched again.
      if (!isStored) await store.ledger.noteOutput(input.take, { asset, firstFrame: null, lastFrame: null, warnings });
      const output = await withFirstFrame(
        dependencies,
        { asset, firstFrame: null, lastFrame: null, warnings },
        context,
      );
      await store.ledger.noteOutput(input.take, output);
      return output;
    });
}

async function collect(
  { gateway, store, download }: StoreOutputDependencies,
  input: StoreOutputInput,
  settled: Settled | undefined,
  { info, cancellationSignal: signal }: Context,
): Promise<AssetRef> {
  const { take, taskId, output } = input;
  const { text, url, itemUrls } = await readResultOf(gateway, input, settled);
  try {
    if (output === 'text') {
      if (text === null) throw failure('OutputUnusable', `task ${taskId} left no text`);
      return await store.assets.putBytes(Buffer.from(text), describeOnly('text/plain'));
    }
    const address = url ?? itemUrls[0];
    if (address === undefined) {
      const words = `task ${taskId} is COMPLETED without an address; the ledger has its result as it came`;
      if (info.attempt >= ADDRESS_ATTEMPTS) throw failure('OutputUnusable', words);
      throw failure('DownloadInterrupted', words, { nextRetryDelayMs: RETRY_MS });
    }
    return await download({ url: address, label: take.takeKey, describe: describeMedia(output), signal });
  } catch (error) {
    throw storeTrouble(error);
  }
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
  if (output === 'text' && kept !== undefined) return kept;
  try {
    const reading = await gateway.read({ taskId, model: take.model });
    if (reading.state === 'completed') return reading.result;
  } catch (error) {
    if (!(error instanceof GatewayError && error.status === 404 && kept !== undefined)) {
      throw unreadable(error, (retryAfterMs) => Math.max(retryAfterMs, RETRY_MS));
    }
  }
  if (kept !== undefined) return kept;
  throw failure('GatewayUnreadable', `task ${taskId} was completed and is now read otherwise`, {
    nextRetryDelayMs: RETRY_MS,
  });
}

function keptResult(raw: string): TaskResultReading {
  return readResult({ result: JSON.parse(raw) as unknown });
}

async function withFirstFrame(
  { store, ffmpeg }: StoreOutputDependencies,
  output: TakeOutput,
  { info, cancellationSignal: signal }: Context,
): Promise<TakeOutput> {
  if (!output.asset.mediaType.startsWith('video/')) return output;
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
