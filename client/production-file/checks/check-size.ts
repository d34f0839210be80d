import { MOST_SHOTS, MOST_TAKES } from '../../../contracts/render/plan';
import { type CheckedShot } from '../checked-production';
import { type Finding, wrongKey, wrongValue } from '../../wording/finding';
import { type ProductionFrame } from '../production-frame';

/**
 * The error of a production with too many shots or takes.
 *
 * @param checked the shots without errors. They include the nested shots that make stills and texts, which the frame
 *   lacks.
 * @param withFallback `checked` with the fallback applied; undefined if there is none.
 */
export function sizeFindings(
  { shots }: ProductionFrame,
  checked: readonly CheckedShot[],
  withFallback: readonly CheckedShot[] = [],
): readonly Finding[] {
  const takes = takesOf(checked);
  const takesWithFallback = takesOf(withFallback);
  if (shots.length <= MOST_SHOTS && takes <= MOST_TAKES) {
    if (takesWithFallback <= MOST_TAKES) return [];
    const ofFallback = `with the fallback there are ${takesWithFallback} takes in all; a production has at most ${MOST_TAKES}`;
    return [wrongValue(['fallback', 'takes'], ofFallback)];
  }
  const found = `${shots.length} shots, with ${takes} takes in all, including stills and texts that a model writes`;
  const message = `there are ${found}; a production has at most ${MOST_SHOTS} shots and ${MOST_TAKES} takes: split it into several, or render its tasks as a batch`;
  return [wrongKey(['shots'], message)];
}

function takesOf(shots: readonly CheckedShot[]): number {
  return shots.reduce((sum, { takes }) => sum + takes, 0);
}
