import { carriedFrame } from '../../contracts/file/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { chosenTakeOf, type ProductionStatus } from '../../contracts/status';

/**
 * The time in the film at which each clip begins, in seconds, by shot id. The times are computed from the lengths of
 * the clips and crossfades, then scaled to the film's actual length, since the assembly may have dropped frames.
 */
export function shotStarts(
  { assembly, shots }: FrozenProduction,
  status: ProductionStatus,
  filmSeconds: number,
): ReadonlyMap<string, number> {
  const frozen = new Map(shots.map((shot) => [shot.id, shot]));
  const clips = status.shots.flatMap((shot) => {
    const asset = shot.state === 'completed' ? chosenTakeOf(shot)?.asset : undefined;
    const isClip = asset?.mediaType.startsWith('video/') === true;
    return isClip ? [{ id: shot.id, seconds: asset.durationSeconds ?? 0 }] : [];
  });
  const starts: number[] = [];
  let at = 0;
  for (const [index, { id, seconds }] of clips.entries()) {
    starts.push(at);
    const next = clips[index + 1];
    const isLinked = next !== undefined && carriedFrom(frozen.get(next.id)) === id;
    const own = next === undefined ? undefined : frozen.get(next.id)?.transition;
    const transition = own ?? assembly?.transition ?? { kind: 'cut' };
    const isFaded = transition.kind === 'crossfade' && !isLinked;
    at += seconds - (isFaded ? Math.min(transition.seconds, seconds / 2, (next?.seconds ?? 0) / 2) : 0);
  }
  const stretch = at > 0 ? filmSeconds / at : 1;
  return new Map(clips.map(({ id }, index) => [id, (starts[index] ?? 0) * stretch]));
}

function carriedFrom(shot: FrozenShot | undefined): string | undefined {
  return shot === undefined ? undefined : carriedFrame(shot)?.shot;
}
