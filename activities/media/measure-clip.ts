import { log } from '@temporalio/activity';
import { type AssetRef } from '../../contracts/asset';
import { isChained } from '../../contracts/file/frame-links';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { measureColor, type RunOptions } from '../../media';
import { type Store } from '../../store';
import { type FindFfmpeg } from './put-frame';

/**
 * Measures the colors of a clip for the drift meter, which compares clips along a chain. Skips files that are not
 * video, shots outside a chain, and clips that were measured before.
 *
 * If the measurement fails, the meter lacks a value; the take is not affected.
 */
export async function measureClip(
  { store, ffmpeg }: { readonly store: Store; readonly ffmpeg: FindFfmpeg },
  { shots }: FrozenProduction,
  shotId: string,
  clip: AssetRef,
  options: Pick<RunOptions, 'signal' | 'lowPriority'>,
): Promise<void> {
  if (!clip.mediaType.startsWith('video/') || !isChained(shots, shotId)) return;
  try {
    await store.measures.once(clip, async (path) => measureColor(await ffmpeg(), path, options));
  } catch (error) {
    options.signal?.throwIfAborted();
    log.warn('the clip cannot be measured; the drift meter goes without it', { reason: String(error) });
  }
}
