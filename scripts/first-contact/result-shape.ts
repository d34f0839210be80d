/** A result may be of any size. */
const MOST_LINES = 40;

/** A path in a result, such as `items[1].url`, and its value. */
interface Place {
  readonly path: string;
  readonly value: unknown;
}

/**
 * The shape of a task's result: at most MOST_LINES lines, each with a path and the kind of its value. Values are left
 * out, because they may be signed addresses.
 */
export function shapeOf(result: Readonly<Record<string, unknown>>): readonly string[] {
  return [...placesIn(result, '')].slice(0, MOST_LINES).map(({ path, value }) => `${path}: ${kindOf(value)}`);
}

/** The path of a value in a result; null if the result does not contain the value. */
export function placeOf(result: Readonly<Record<string, unknown>>, wanted: string): string | null {
  for (const { path, value } of placesIn(result, '')) if (value === wanted) return path;
  return null;
}

function* placesIn(value: unknown, path: string): Generator<Place> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    yield { path, value };
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    yield* placesIn(inner, Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`);
  }
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return /^https?:\/\//i.test(value) ? 'address' : 'text';
  if (Array.isArray(value)) return 'empty list';
  return value === null ? 'null' : typeof value;
}
