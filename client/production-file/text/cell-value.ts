import { type z } from 'zod';
import { hasExactNumbers, isExactNumber } from './exact-numbers';

/** Separates the values of a list in a cell. */
const LIST = '|';

/**
 * Converts the text of a cell to the first form that the schema accepts: text, a number or boolean, JSON, or a list.
 *
 * If there is no schema, or the schema accepts no form, text that looks like a number or boolean becomes one. The check
 * of the row reports a value that the schema does not accept. A number that would lose digits stays text.
 */
export function cellValue(text: string, schema: z.ZodType | undefined): unknown {
  const scalar = scalarOf(text);
  if (schema === undefined) return scalar ?? text;
  const list = text.split(LIST).map((one) => one.trim());
  const candidates: unknown[] = [text, ...(scalar === undefined ? [] : [scalar]), ...jsonOf(text), list];
  const accepted = candidates.find((candidate) => schema.safeParse(candidate).success);
  return accepted ?? scalar ?? text;
}

/** A number or boolean; undefined for plain text. Spreadsheets write `TRUE`; `007` is text. */
function scalarOf(text: string): number | boolean | undefined {
  const plain = text.trim();
  if (/^(true|false)$/i.test(plain)) return plain.toLowerCase() === 'true';
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(plain);
  return isNumber && isExactNumber(plain) ? Number(plain) : undefined;
}

function jsonOf(text: string): readonly unknown[] {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    const json: unknown = JSON.parse(text);
    return hasExactNumbers(text) ? [json] : [];
  } catch {
    return [];
  }
}
