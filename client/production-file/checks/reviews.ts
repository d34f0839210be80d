import { type Review } from '../../../contracts/render/directing';
import { ReviewInFile } from '../../../contracts/file/shot-rules';

/** The parts of a shot that determine its review. */
export interface ReviewedShot {
  readonly id: string;
  /** The shot's own `review` in the file. */
  readonly review: unknown;
  /** Ids of the shots that this shot links to. */
  readonly links: readonly string[];
}

/**
 * The review of each shot: the shot's own, else one passed on by a shot that it links to, else the default. Null if the
 * shot is not reviewed. Invalid values count as absent; the schemas report them.
 */
export function reviewsOf(shots: readonly ReviewedShot[], byDefault: unknown): ReadonlyMap<string, Review | null> {
  const own = new Map(shots.map(({ id, review }) => [id, valid(review)]));
  const links = new Map(shots.map((shot) => [shot.id, shot.links]));
  const known = new Map<string, ReviewInFile | undefined>();

  /** The review that a shot passes on to the shots that link to it. Terminates even if the links form a cycle. */
  function passedOn(id: string): ReviewInFile | undefined {
    if (known.has(id)) return known.get(id);
    known.set(id, undefined);
    const review = own.get(id);
    const passed = holdsForChain(review) ? review : inherited(id);
    known.set(id, passed);
    return passed;
  }
  function inherited(id: string): ReviewInFile | undefined {
    return (links.get(id) ?? []).map(passedOn).find((review) => review !== undefined);
  }
  return new Map(shots.map(({ id }) => [id, asReview(own.get(id) ?? inherited(id) ?? valid(byDefault))]));
}

function valid(review: unknown): ReviewInFile | undefined {
  return ReviewInFile.safeParse(review).data;
}

function holdsForChain(review: ReviewInFile | undefined): boolean {
  return review === 'chain' || (typeof review === 'object' && review.chain === true);
}

function asReview(review: ReviewInFile = false): Review | null {
  if (review === false) return null;
  const { within = null, otherwise = 'approve' } = typeof review === 'object' ? review : {};
  return { withinSeconds: within, otherwise };
}
