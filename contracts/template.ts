/** `{{name}}` in a text; spaces around the name do not count. */
const PLACE = /\{\{([^{}]*)\}\}/g;
const WHOLE = /^\{\{([^{}]*)\}\}$/;

type Path = readonly (string | number)[];

/** A template with its places filled in. */
export interface Filled {
  readonly value: unknown;
  /** Names that have no value, with the place of each; they stay as they stand. */
  readonly missing: readonly { readonly name: string; readonly path: Path }[];
  /** Values that are no text, number or boolean and stand inside a text, where nobody means what they look like. */
  readonly unfit: readonly { readonly name: string; readonly value: unknown }[];
  /** Values that are a name's own and nothing else: of what type those are to be, the place says. */
  readonly whole: readonly Path[];
}

/**
 * Puts values in the places that are named `{{name}}`, in every text of a JSON value; keys stay.
 *
 * It is the same for the columns of a batch's rows and for the variables of a scheduled run: a row of a batch that runs
 * by a schedule is filled by its columns first, which leaves the run's names as they stand, and by the run later.
 */
export function fillTemplate(template: unknown, values: Readonly<Record<string, unknown>>): Filled {
  const missing: { name: string; path: Path }[] = [];
  const unfit: { name: string; value: unknown }[] = [];
  const whole: Path[] = [];
  const valueOf = (written: string, name: string, path: Path): unknown => {
    if (Object.hasOwn(values, name)) return values[name];
    missing.push({ name, path });
    return written;
  };

  function textOf(written: string, name: string, path: Path): string {
    const value = valueOf(written, name, path);
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    unfit.push({ name, value });
    return written;
  }

  function filled(value: unknown, path: Path): unknown {
    if (typeof value === 'string') {
      const only = WHOLE.exec(value)?.[1]?.trim();
      if (only !== undefined) {
        whole.push(path);
        return valueOf(value, only, path);
      }
      return value.replaceAll(PLACE, (written, name: string) => textOf(written, name.trim(), path));
    }
    if (Array.isArray(value)) return value.map((one: unknown, index) => filled(one, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, [...path, key])]));
  }

  return { value: filled(template, []), missing, unfit, whole };
}

/** The same for texts alone, which stay texts. A name that has no value stays: whoever wrote it was told before. */
export function fillTexts<Value>(value: Value, values: Readonly<Record<string, string>>): Value {
  return fillTemplate(value, values).value as Value;
}

/** The names in all texts of a value, in order, each as often as it stands there. */
export function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [...value.matchAll(PLACE)].map(([, name = '']) => name.trim());
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(namesIn);
}
