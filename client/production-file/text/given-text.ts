import { MOST_LEVELS } from './bounded-yaml';
import { dotted } from '../../wording/phrases';
import { type Path } from '../../wording/finding';

/** A program's value as text, with the path of each line. */
export interface GivenText {
  readonly text: string;
  /** A path such as `shots[2].duration`; undefined for the whole value. */
  placeAt(line: number): string | undefined;
}

/** An error in a value that a program gives. */
export interface PlaceIssue {
  /** A path such as `shots[2].duration`; undefined if the error is about the whole value. */
  readonly place: string | undefined;
  /** States the finding, the allowed values and the remedy. */
  readonly message: string;
}

/** Maximum number of lines, more than the largest production has. Also bounds a cyclic value's expansion. */
const MOST_LINES = 4_000_000;
const MOST_ISSUES = 100;

/** The message for a value that JSON cannot express, such as NaN or a function. */
export const NOT_JSON =
  'JSON cannot express this value; give text, a finite number, true, false, null, a list, or an object of these';

/**
 * Writes a value as JSON with one value per line: the line number of a finding then gives the value's path. Keys with
 * undefined values are left out.
 *
 * @param at path of the value in a larger value. Default: the value is not part of another value.
 * @returns issues if JSON cannot represent the value, or if the value is too large or too deep.
 */
export function givenText(value: unknown, at: Path = []): GivenText | { readonly issues: readonly PlaceIssue[] } {
  const lines: string[] = [];
  const places: Path[] = [];
  const issues: PlaceIssue[] = [];
  let isTooLong = false;

  function line(path: Path, text: string): void {
    lines.push(text);
    places.push(path);
  }
  function write(one: unknown, path: Path, before: string, after: string): void {
    if (issues.length >= MOST_ISSUES || isTooLong) return;
    if (lines.length > MOST_LINES) {
      isTooLong = true;
      issues.push({ place: undefined, message: `it has more than ${MOST_LINES} lines as JSON; split it into several` });
    } else if (isPlain(one)) {
      line(path, `${before}${JSON.stringify(one)}${after}`);
    } else if (path.length > MOST_LEVELS) {
      issues.push({ place: dotted(path), message: `nested deeper than ${MOST_LEVELS} levels` });
    } else if (Array.isArray(one)) {
      const items = [...(one as unknown[])].map((item, index) => ['', item, index] as const);
      writeAll(items, { path, before, after, open: '[', close: ']' });
    } else if (isRecord(one)) {
      const entries = Object.entries(one).filter(([, item]) => item !== undefined);
      const items = entries.map(([key, item]) => [`${JSON.stringify(key)}: `, item, key] as const);
      writeAll(items, { path, before, after, open: '{', close: '}' });
    } else {
      issues.push({ place: dotted(path) || undefined, message: NOT_JSON });
    }
  }
  function writeAll(
    items: readonly (readonly [string, unknown, string | number])[],
    { path, before, after, open, close }: { path: Path; before: string; after: string; open: string; close: string },
  ): void {
    line(path, `${before}${open}`);
    items.forEach(([key, item, step], index) => {
      write(item, [...path, step], key, index === items.length - 1 ? '' : ',');
    });
    line(path, `${close}${after}`);
  }

  write(value, at, '', '');
  if (issues.length > 0) return { issues };
  return { text: `${lines.join('\n')}\n`, placeAt: (number) => dotted(places[number - 1] ?? []) || undefined };
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

/** True for a plain object; false for a Date or an instance of another class. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
