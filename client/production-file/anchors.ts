import { carriedFrame, chainFirsts } from '../../contracts/frame-links';
import { type CheckedShot } from './checked-production';

/**
 * Names the chain's first shot in each start frame that is to be corrected towards it.
 *
 * A frame of that first shot itself is of the very colour that the others are matched to, and stays as it is.
 *
 * @param shots without circles among their links.
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
