import { z } from 'zod';
import { ID_PATTERN } from '../../contracts/identifiers';
import { type OutputKind } from '../../contracts/gateway/models';
import { type Finding, type Path, wrongKey, wrongValue } from '../wording/finding';
import { shown } from '../wording/phrases';

/** A shot as written, without the shots that were written inside it. */
export interface RawShot {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly path: Path;
  /** By text parameter, the id of the shot that writes the text. `raw` has a placeholder for each text. */
  readonly texts: Readonly<Record<string, string>>;
  /** Present if the shot was written inside another shot. */
  readonly nested?: { readonly makes: Extract<OutputKind, 'image' | 'text'>; readonly in: string };
}

interface Unfolded {
  /** Shots that were written inside another shot come before that shot. */
  readonly shots: readonly RawShot[];
  readonly findings: readonly Finding[];
}

/** Placeholder for a text that another shot will write. */
export const TEXT_TO_COME = 'a text that is yet to be written';

const Inner = z.record(z.string(), z.unknown());
const Still = z.strictObject({ still: Inner });
const Written = z.strictObject({ from: Inner });

/** Keys that a nested shot cannot have, with the reasons. */
const NO_USE = {
  id: 'it is named after its shot and parameter',
  caption: 'it is not in the film',
  transition: 'it is not in the film',
};

/**
 * Moves stills, and texts that a model writes, out of their shots. Each becomes a shot, named after shot and parameter
 * (`dawn.startFrame`, `dawn.imageUrls.2`). A link replaces a still, and a placeholder replaces a text.
 */
export function unfolded(written: readonly Pick<RawShot, 'raw' | 'path'>[]): Unfolded {
  const shots = written.map(({ raw, path }, index) => {
    const id = typeof raw['id'] === 'string' ? raw['id'] : `shot-${index + 1}`;
    return unfoldedShot(id, { raw, path, texts: {} });
  });
  return { shots: shots.flatMap((one) => one.shots), findings: shots.flatMap((one) => one.findings) };
}

/** Maps each shot with exactly one still to that still's id. A link may name the shot instead of the still. */
export function onlyStills(shots: readonly RawShot[]): ReadonlyMap<string, string> {
  const stills = shots.filter(({ nested }) => nested?.makes === 'image');
  const parents = stills.map(({ nested }) => nested?.in ?? '');
  return new Map(
    stills.flatMap(({ raw, nested }) => {
      const isOnly = parents.indexOf(nested?.in ?? '') === parents.lastIndexOf(nested?.in ?? '');
      return nested !== undefined && isOnly ? [[nested.in, String(raw['id'])] as const] : [];
    }),
  );
}

/**
 * True if a value describes a text that a model writes. Outside `prompt` the value must name the model, because an
 * ordinary value may have a key `from` too.
 */
export function isWritten(parameter: string, value: unknown): boolean {
  const from = Written.safeParse(value).data?.from;
  return from !== undefined && (parameter === 'prompt' || 'model' in from);
}

function unfoldedShot(id: string, { raw, path, ...shot }: RawShot): Unfolded {
  const inner: RawShot[] = [];
  const findings: Finding[] = [];
  const texts: Record<string, string> = {};

  function take(name: string, makes: 'image' | 'text', values: z.infer<typeof Inner>, place: Path): string {
    for (const [key, why] of Object.entries(NO_USE)) {
      if (key in values) findings.push(wrongKey([...place, key], `${shown(name)} needs no ${key}: ${why}; remove it`));
    }
    if (!ID_PATTERN.test(name) && ID_PATTERN.test(id)) findings.push(wrongValue(place, unnameable(name)));
    const rest = Object.fromEntries(Object.entries(values).filter(([key]) => !(key in NO_USE)));
    const taken = unfoldedShot(name, { raw: { ...rest, id: name }, path: place, texts: {}, nested: { makes, in: id } });
    inner.push(...taken.shots);
    findings.push(...taken.findings);
    return name;
  }

  const values = Object.entries(raw).map(([parameter, value]) => {
    const text = isWritten(parameter, value) ? Written.safeParse(value).data : undefined;
    if (text !== undefined) {
      texts[parameter] = take(`${id}.${parameter}`, 'text', text.from, [...path, parameter, 'from']);
      return [parameter, TEXT_TO_COME] as const;
    }
    let stills = 0;
    const linked = (one: unknown, place: Path): unknown => {
      const still = Still.safeParse(one).data?.still;
      if (still === undefined) return one;
      stills += 1;
      const name = `${id}.${parameter}${stills === 1 ? '' : `.${stills}`}`;
      return { stillOf: take(name, 'image', still, [...place, 'still']) };
    };
    const place = [...path, parameter];
    if (!Array.isArray(value)) return [parameter, linked(value, place)] as const;
    return [parameter, value.map((one: unknown, index) => linked(one, [...place, index]))] as const;
  });
  return { shots: [...inner, { raw: Object.fromEntries(values), path, ...shot, texts }], findings };
}

function unnameable(name: string): string {
  return `this would be called ${shown(name)}, which is not a valid id: an id has at most 64 letters, digits, dots, dashes or underscores; shorten the id of the shot`;
}
