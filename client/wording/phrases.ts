import { type OutputKind } from '../../contracts/gateway/models';
import { nearestName } from './nearest-name';
import { type Path } from './finding';

/** The largest number of characters of a value that a message shows. */
const SHOWN_CHARACTERS = 60;

/** The largest number of names that a message lists. */
const LISTED_NAMES = 30;

export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return 'a map';
  return JSON.stringify(value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value);
}

/** A model's output, such as `an image`. */
export function outputInWords(output: OutputKind): string {
  return { video: 'a video', image: 'an image', audio: 'audio', text: 'text' }[output];
}

/** Lists names, such as `a, b or c`. */
export function anyOf(names: readonly unknown[]): string {
  const listed = names.slice(0, LISTED_NAMES).map(String);
  if (names.length > LISTED_NAMES) return `${listed.join(', ')} …`;
  const last = listed.pop() ?? 'nothing';
  return listed.length === 0 ? last : `${listed.join(', ')} or ${last}`;
}

/** ` Did you mean "prompt"?`, or an empty string if no candidate is near or the name itself is a candidate. */
export function didYouMean(name: unknown, candidates: readonly unknown[]): string {
  if (candidates.includes(name)) return '';
  const near = typeof name === 'string' ? nearestName(name, candidates.map(String)) : undefined;
  return near === undefined
    ? ''
    : ` Did you mean ${shown(candidates.find((candidate) => String(candidate) === near))}?`;
}

/** A path as text, such as `assembly.music` or `imageUrls[1]`. */
export function dotted(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

export function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
