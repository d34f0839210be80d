import { type Direction } from '../contracts/directing';
import { type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { createDirecting, shotDigest, type Store } from '../store';

/** A production with what people have changed against its file. */
export interface DirectedProduction {
  /** As it is to be rendered. */
  readonly production: FrozenProduction;
  /** The shots that the store has a choice or a direction of. */
  readonly directed: ReadonlySet<string>;
  /** The shots that have a direction which counts no more, since the file's shot has changed. */
  readonly lapsed: readonly string[];
}

/** Replaces each shot of a file by what it was directed to be, as long as the file has it as it was then. */
export async function directedProduction(
  written: FrozenProduction,
  { records }: Pick<Store, 'records'>,
): Promise<DirectedProduction> {
  const directing = createDirecting(records);
  const found = await Promise.all(
    written.shots.map(async (shot) => ({
      shot,
      isDirected: await directing.isDirected(written.id, shot.id),
      direction: await directing.direction(written.id, shot.id),
    })),
  );
  return {
    production: {
      ...written,
      shots: found.map(({ shot, direction }) => (counts(direction, shot) ? directedShot(direction, shot) : shot)),
    },
    directed: new Set(found.filter(({ isDirected }) => isDirected).map(({ shot }) => shot.id)),
    lapsed: found
      .filter(({ shot, direction }) => direction !== undefined && !counts(direction, shot))
      .map(({ shot }) => shot.id),
  };
}

/** A file that has taken the direction over asks for the very takes that were made by it. */
function counts(direction: Direction | undefined, written: FrozenShot): direction is Direction {
  if (direction === undefined) return false;
  const digest = shotDigest(written);
  return direction.of === digest || shotDigest(withoutVariant(direction.shot)) === digest;
}

function directedShot({ shot: { caption: _caption, ...shot } }: Direction, { caption }: FrozenShot): FrozenShot {
  return { ...shot, ...(caption === undefined ? {} : { caption }) };
}

function withoutVariant({ variant: _variant, ...shot }: FrozenShot): FrozenShot {
  return shot;
}
