import { type z } from 'zod';

/** What separates the values of a list in one cell. */
const LIST = '|';

/**
 * The text of a table's cell as the value that a schema takes at that place: a number, true or false, a list, or text.
 *
 * Where the schema takes none of these it is left for the check to find. Where no schema is known, what reads as a number
 * or as true or false is one.
 */
export function cellValue(text: string, schema: z.ZodType | undefined): unknown {
  const scalar = scalarOf(text);
  if (schema === undefined) return scalar ?? text;
  const list = text.split(LIST).map((one) => one.trim());
  const candidates: unknown[] = [text, ...(scalar === undefined ? [] : [scalar]), ...jsonOf(text), list];
  const taken = candidates.find((candidate) => schema.safeParse(candidate).success);
  return taken ?? scalar ?? text;
}

/** Undefined for what is plain text. `TRUE` is what spreadsheets write; `007` is a text. */
function scalarOf(text: string): number | boolean | undefined {
  const plain = text.trim();
  if (/^(true|false)$/i.test(plain)) return plain.toLowerCase() === 'true';
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(plain) ? Number(plain) : undefined;
}

function jsonOf(text: string): readonly unknown[] {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
