import { type Direction } from '../contracts/directing';
import { type FrozenProduction, type FrozenShot, unsentFields, withoutUnsentFields } from '../contracts/frozen';
import { createDirecting, shotDigest, type Store } from '../store';
import { linkFindings, placedLinks } from './production-file/shot-links';

/** A production with what people have changed against its file. */
export interface DirectedProduction {
  /** As it is to be rendered. */
  readonly production: FrozenProduction;
  /** The shots that the store has a choice or a direction of. */
  readonly directed: ReadonlySet<string>;
  /** Takes side by side of the shots that are directed to have another number than the file says. */
  readonly takes: ReadonlyMap<string, number>;
  /** The shots that a deadline has directed, by their file's fallback. */
  readonly byDeadline: ReadonlySet<string>;
  /** The shots that have a direction which counts no more, since the file has changed. */
  readonly lapsed: readonly string[];
}

/**
 * Replaces each shot of a file by what it was directed to be, as long as the file has it as it was then, and has the
 * shots that it links to.
 */
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
  const wanted = found.flatMap(({ shot, direction }) =>
    counts(direction, shot) ? [directedShot(direction, shot)] : [],
  );
  const production = withFitting(written, wanted);
  const followed = new Set(production.shots.filter((shot) => wanted.includes(shot)).map(({ id }) => id));
  const directions = found.flatMap(({ shot, direction }) =>
    direction !== undefined && followed.has(shot.id) ? [[shot.id, direction] as const] : [],
  );
  return {
    production,
    directed: new Set(found.filter(({ isDirected }) => isDirected).map(({ shot }) => shot.id)),
    takes: new Map(directions.flatMap(([id, { takes }]) => (takes === undefined ? [] : [[id, takes]]))),
    byDeadline: new Set(directions.flatMap(([id, { by }]) => (by === 'deadline' ? [id] : []))),
    lapsed: found
      .filter(({ shot, direction }) => direction !== undefined && !followed.has(shot.id))
      .map(({ shot }) => shot.id),
  };
}

/** Takes over the shots with which each link still leads to a shot that can be linked to, in no circle. */
function withFitting(written: FrozenProduction, wanted: readonly FrozenShot[]): FrozenProduction {
  const all = withShots(written, wanted);
  if (areLinked(all)) return all;
  let production = written;
  let left = wanted;
  for (;;) {
    const fitting = left.find((shot) => areLinked(withShots(production, [shot])));
    if (fitting === undefined) return production;
    production = withShots(production, [fitting]);
    left = left.filter((shot) => shot !== fitting);
  }
}

function withShots(production: FrozenProduction, changed: readonly FrozenShot[]): FrozenProduction {
  const byId = new Map(changed.map((shot) => [shot.id, shot]));
  return { ...production, shots: production.shots.map((shot) => byId.get(shot.id) ?? shot) };
}

function areLinked({ shots }: FrozenProduction): boolean {
  const outputs = new Map(shots.map(({ id, model }) => [id, model.output]));
  return linkFindings(shots.flatMap(placedLinks), outputs).length === 0;
}

/** A file that has taken the direction over asks for the very takes that were made by it. */
function counts(direction: Direction | undefined, written: FrozenShot): direction is Direction {
  if (direction === undefined) return false;
  const digest = shotDigest(written);
  return direction.of === digest || shotDigest(withoutVariant(direction.shot)) === digest;
}

/** What nobody pays by is as the file has it. */
function directedShot({ shot }: Direction, written: FrozenShot): FrozenShot {
  return { ...withoutUnsentFields(shot), ...unsentFields(written) };
}

function withoutVariant({ variant: _variant, ...shot }: FrozenShot): FrozenShot {
  return shot;
}
