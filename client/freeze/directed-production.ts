import { type Direction } from '../../contracts/render/directing';
import {
  type FrozenProduction,
  type FrozenShot,
  unsentFields,
  withoutUnsentFields,
} from '../../contracts/render/frozen';
import { shotDigest, type Store } from '../../store';
import { linkFindings, placedLinks } from '../production-file/checks/shot-links';

/** A production with directions applied. A direction is a change of a shot by a person or a deadline. */
export interface DirectedProduction {
  readonly production: FrozenProduction;
  /** The shots with a choice or a direction in the store. */
  readonly directed: ReadonlySet<string>;
  /** By shot, the number of takes side by side that a direction sets. */
  readonly takes: ReadonlyMap<string, number>;
  /** The shots that a deadline has switched to their fallback. */
  readonly byDeadline: ReadonlySet<string>;
  /** The shots with a direction that does not apply, because the file has changed or links do not fit. */
  readonly lapsed: readonly string[];
}

/**
 * Applies directions to a file's shots. A direction applies if the shot in the file is unchanged since the direction,
 * or equals the directed shot. The links of the directed shot must also be valid.
 */
export async function directedProduction(
  written: FrozenProduction,
  { directing }: Pick<Store, 'directing'>,
): Promise<DirectedProduction> {
  const found = await Promise.all(
    written.shots.map(async (shot) => ({
      shot,
      isDirected: await directing.isDirected(written.id, shot.id),
      direction: await directing.direction(written.id, shot.id),
    })),
  );
  const wanted = found.flatMap(({ shot, direction }) =>
    applies(direction, shot) ? [directedShot(direction, shot)] : [],
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

/**
 * Applies all directed shots together. If their links do not fit, applies them one by one, and leaves out those that
 * break links or make cycles.
 */
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

/** Ignores `variant`, because a file cannot set it. */
function applies(direction: Direction | undefined, written: FrozenShot): direction is Direction {
  if (direction === undefined) return false;
  const digest = shotDigest(written);
  return direction.of === digest || shotDigest(withoutVariant(direction.shot)) === digest;
}

/** Fields that are not sent to the gateway come from the file. */
function directedShot({ shot }: Direction, written: FrozenShot): FrozenShot {
  return { ...withoutUnsentFields(shot), ...unsentFields(written) };
}

function withoutVariant({ variant: _variant, ...shot }: FrozenShot): FrozenShot {
  return shot;
}
