import { carriedFrame, chainFirsts } from '../../../contracts/file/frame-links';
import { type CheckedShot } from '../checked-production';

/**
 * Adds `anchor`, the id of the chain's first shot, to each start frame whose colour is to be corrected.
 *
 * A frame of the first shot itself already has the right colours and is not corrected.
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
