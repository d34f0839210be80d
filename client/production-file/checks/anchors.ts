import { carriedFrame, chainFirsts } from '../../../contracts/file/frame-links';
import { type CheckedShot } from '../checked-production';

/**
 * Adds `anchor`, the id of the first shot in the chain of links, to each start frame whose colors are to be corrected.
 *
 * A start frame that comes from this first shot already has the right colors, so it gets no anchor.
 *
 * @param shots whose links form no cycle.
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
