import { type ProductionStatus } from '../contracts/status';
import { findFfmpeg, measureColor } from '../media';
import { measuredOnce, type Store } from '../store';
import { chainedClips } from './continuity';

/**
 * Measures what has not been: clips of before there was a meter, and of shots that have joined a chain since.
 *
 * Where there is no ffmpeg, or a clip cannot be measured, the meter goes without.
 */
export async function measureChains(
  store: Pick<Store, 'assets' | 'records'>,
  status: ProductionStatus,
  ffmpegPath: string | undefined,
): Promise<void> {
  const clips = (await chainedClips(store, status)).flatMap(({ clip, firstClip }) => [clip, firstClip]);
  for (const clip of clips) {
    if (!(await store.assets.has(clip))) continue;
    await measuredOnce(store, clip, async (path) =>
      measureColor(await findFfmpeg(ffmpegPath === undefined ? {} : { ffmpegPath }), path),
    ).catch(() => undefined);
  }
}
