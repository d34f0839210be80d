import { type Change } from '../../contracts/render/render-plan';

/** Maximum number of characters that are shown of a value. */
const VALUE_MAX = 40;

/** Number of characters that are shown of a hash: enough to tell two files apart. */
const HASH_CHARACTERS = 'sha256:'.length + 12;

/** Number of characters shown before the first difference of two long texts. */
const CONTEXT_CHARACTERS = 8;

/** The changes in words, such as `prompt A dog -> A cat, seed 1 -> 2`. */
export function changesInWords(changes: readonly Change[]): string {
  return changes.map(({ parameter, from, to }) => `${parameter} ${fromToInWords(from, to)}`).join(', ');
}

/** Long texts are shown from shortly before the first difference. */
function fromToInWords(from: unknown, to: unknown): string {
  const [was, is] = [valueInWords(from), valueInWords(to)];
  const isLong = was.length > VALUE_MAX || is.length > VALUE_MAX;
  const start = isLong ? Math.max(0, firstDifference(was, is) - CONTEXT_CHARACTERS) : 0;
  return `${shortened(was, start)} -> ${shortened(is, start)}`;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

function valueInWords(value: unknown): string {
  if (value === null) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/sha256:[0-9a-f]{64}/g, (hash) => hash.slice(0, HASH_CHARACTERS)).replaceAll(/\s+/g, ' ');
}

function shortened(text: string, start: number): string {
  const before = start > 0 ? '…' : '';
  const rest = text.slice(start);
  return rest.length > VALUE_MAX ? `${before}${rest.slice(0, VALUE_MAX)}…` : `${before}${rest}`;
}
