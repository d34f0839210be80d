/** The fields of a shot that determine its lane. */
interface Linked {
  readonly id: string;
  readonly startsOn: string | null;
}

/**
 * Groups shots into lanes, in the film's order: one for each chain, and one for each series of consecutive shots
 * without a chain.
 *
 * A shot joins the lane that ends with the shot whose frame it starts on. If two shots start on the same frame, the
 * second begins a new lane.
 */
export function lanesOf<T extends Linked>(shots: readonly T[]): readonly (readonly T[])[] {
  const sources = new Set(shots.flatMap(({ startsOn }) => startsOn ?? []));
  const lanes: T[][] = [];
  let unchained: T[] | undefined;
  for (const shot of shots) {
    const isUnchained = shot.startsOn === null && !sources.has(shot.id);
    const lane = isUnchained ? unchained : lanes.find((one) => one.at(-1)?.id === shot.startsOn);
    if (lane !== undefined) {
      lane.push(shot);
    } else {
      lanes.push([shot]);
    }
    unchained = isUnchained ? (lane ?? lanes.at(-1)) : undefined;
  }
  return lanes;
}
