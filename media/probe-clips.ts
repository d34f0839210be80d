import { FilmError, type FilmSpec } from './film';
import type { Source } from './film-plan';
import { probe } from './probe';

/**
 * Looks into a film's clips.
 *
 * @throws FilmError where there is none, or one is no video; NotMediaError.
 */
export async function probeClips({ clips }: FilmSpec): Promise<readonly Source[]> {
  if (clips.length === 0) throw new FilmError('A film needs at least one clip');
  const sources: Source[] = [];
  for (const { path, chapter } of clips) {
    const info = await probe(path);
    if (info.kind !== 'video') throw new FilmError(`"${chapter}" is no video but ${info.mediaType}: ${path}`);
    sources.push({ path, info });
  }
  return sources;
}
