import { type Review } from '../../contracts/directing';
import { ReviewInFile } from '../../contracts/shot-rules';

/** A shot as far as its review goes. */
export interface ReviewedShot {
  readonly id: string;
  /** As the file has it for the shot itself. */
  readonly review: unknown;
  /** The shots whose frames it uses. */
  readonly links: readonly string[];
}

/**
 * How each shot is reviewed: as it says itself, else as the chain that it is in, else by the defaults. Null if it
 * waits for nobody. What is wrong with a value is for the schemas to say; here it counts as none.
 */
export function reviewsOf(shots: readonly ReviewedShot[], byDefault: unknown): ReadonlyMap<string, Review | null> {
  const own = new Map(shots.map(({ id, review }) => [id, valid(review)]));
  const links = new Map(shots.map((shot) => [shot.id, shot.links]));
  const known = new Map<string, ReviewInFile | undefined>();

  /** What the shot passes on to those that follow it. Broken files have circles; a circle passes nothing on. */
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
