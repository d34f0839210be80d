/** A number as JSON writes it. */
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const WHOLE = /^-?\d+$/;

/**
 * True if a written number can become a JavaScript number. False for a whole number that would lose digits, such as an
 * order number of 20 digits, and for a number that is too large. Numbers with a point or an exponent may be rounded.
 */
export function isExactNumber(written: string): boolean {
  const number = Number(written);
  if (!Number.isFinite(number)) return false;
  return !WHOLE.test(written) || Number.isSafeInteger(number) || BigInt(written) === BigInt(number);
}

/** True if `isExactNumber` is true for every number in a text that is valid JSON. */
export function hasExactNumbers(json: string): boolean {
  const withoutTexts = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return (withoutTexts.match(NUMBER) ?? []).every(isExactNumber);
}
