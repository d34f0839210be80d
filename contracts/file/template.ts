/** `{{name}}` in a text; spaces around the name are ignored. */
const PLACE = /\{\{([^{}]*)\}\}/g;
const WHOLE = /^\{\{([^{}]*)\}\}$/;

type Path = readonly (string | number)[];

/** A filled template. */
export interface Filled {
  readonly value: unknown;
  /** Placeholders whose names have no value, with their paths. They stay unfilled. */
  readonly missing: readonly { readonly name: string; readonly path: Path }[];
  /** Objects, arrays and nulls given for placeholders within a longer text. They are not filled in. */
  readonly unfit: readonly { readonly name: string; readonly value: unknown }[];
  /** Paths of texts that are one placeholder and nothing else. The filled values keep their types. */
  readonly whole: readonly Path[];
}

/**
 * Fills the placeholders `{{name}}` in all texts of a JSON value; object keys are left unchanged.
 *
 * Used for the columns of a batch's rows and for the variables of a scheduled run. A row of a scheduled batch is filled
 * twice: first with its columns, which leaves the run's variables unfilled, and later with the run's variables.
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

/**
 * Fills the placeholders in all texts of a value. Names without a value stay unfilled. The check of a schedule's file
 * refuses such names.
 */
export function fillTexts<Value>(value: Value, values: Readonly<Record<string, string>>): Value {
  return fillTemplate(value, values).value as Value;
}

/** Returns the placeholders' names in all texts of a value, in order, with repetitions. */
export function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [...value.matchAll(PLACE)].map(([, name = '']) => name.trim());
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(namesIn);
}
