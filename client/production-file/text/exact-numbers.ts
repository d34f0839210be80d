/** A number as JSON writes it: sign, whole digits, digits after the point, power of ten. */
const NUMBER = /(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/;

/** True if no digit of a written number is lost when it becomes a JavaScript number. */
export function isExactNumber(written: string): boolean {
  const number = Number(written);
  return Number.isFinite(number) && plainForm(written) === plainForm(String(number));
}

/** True if no digit is lost of any number in a JSON text. */
export function hasExactNumbers(json: string): boolean {
  const withoutTexts = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return (withoutTexts.match(new RegExp(NUMBER, 'g')) ?? []).every(isExactNumber);
}

/** The same for all spellings of a number: `1.50`, `15e-1` and `1.5` are `15e-1`. */
function plainForm(written: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = NUMBER.exec(written) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}
