import { carriedFrame, chainFirsts } from '../../../contracts/file/frame-links';
import { type CheckedShot } from '../checked-production';

/**
 * Adds the chain's first shot as `anchor` to start frames that are to be corrected towards it.
 *
 * Frames of the first shot itself already have its colours and are not corrected.
 *
 * @param shots without cycles of links.
 */
export function withAnchors(shots: readonly CheckedShot[]): readonly CheckedShot[] {
  const firsts = chainFirsts(shots);
  return shots.map((shot) => {
    const link = carriedFrame(shot);
    const anchor = firsts.get(shot.id);
    if (!shot.anchor || link === undefined || anchor === undefined || anchor === link.shot) return shot;
    return { ...shot, files: { ...shot.files, startFrame: { ...link, anchor } } };
  });
}
