import { FILE_PARAMETERS } from '../../contracts/gateway/models';
import { namesIn } from '../../contracts/file/template';
import { type Finding, type Path, wrongValue } from '../wording/finding';
import { anyOf, didYouMean, shown } from '../wording/phrases';

/** Keys of a shot that are read when the schedule is made, before any run. */
const FIXED_KEYS = new Set([
  'id',
  'model',
  'review',
  'deadline',
  'retryFailed',
  'takes',
  'onFailure',
  'anchor',
  'drift',
  'transition',
  'quick',
]);

/** Keys whose value names another shot, or the parameter of another shot. */
const LINK_KEYS = new Set(['lastFrameOf', 'firstFrameOf', 'stillOf', 'parameter']);

/** Keys that hold a nested shot. */
const NESTS = new Set(['still', 'from']);

/**
 * Errors for unknown variables, and for variables in a place that is read when the schedule is made.
 *
 * MAINTENANCE: activities/run/fill-production.ts fills exactly the places that are allowed here.
 *
 * @param value a production as written.
 */
export function variableFindings(value: unknown, names: readonly string[]): readonly Finding[] {
  return textsOf(value, []).flatMap(({ path, text }) => {
    const variables = namesIn(text);
    const [first] = variables;
    if (first === undefined) return [];
    if (!mayVary(path, text)) {
      const message = `${shown(`{{${first}}}`)} is not allowed here, because this value is read when the schedule is made; use variables in prompts and other texts, captions, titles and addresses of files`;
      return [wrongValue(path, message)];
    }
    const unknown = variables.filter((name) => !names.includes(name));
    return [...new Set(unknown)].map((name) =>
      wrongValue(
        path,
        `${shown(`{{${name}}}`)} is no variable of a run; allowed are ${anyOf(names)}.${didYouMean(name, names)}`,
      ),
    );
  });
}

interface Text {
  readonly path: Path;
  readonly text: string;
}

function textsOf(value: unknown, path: Path): readonly Text[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    textsOf(one as unknown, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function mayVary(path: Path, text: string): boolean {
  const [top, second, third] = path;
  if (top === 'title') return path.length === 1;
  if (top === 'assembly') return second === 'title' && (path.length === 2 || third === 'text');
  if (top === 'defaults') return mayVaryInShot(path.slice(1), text);
  return top === 'shots' && mayVaryInShot(path.slice(2), text);
}

function mayVaryInShot(path: Path, text: string): boolean {
  const nest = path.findLastIndex((step) => NESTS.has(String(step)));
  const own = path.slice(nest + 1).map(String);
  if (FIXED_KEYS.has(own[0] ?? '') || own.some((step) => LINK_KEYS.has(step))) return false;
  const isFile = own.some((step) => step === 'file' || Object.hasOwn(FILE_PARAMETERS, step));
  return !isFile || /^https?:/i.test(text);
}
