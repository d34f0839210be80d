import { type FlagIssue } from '../issue';
import { hasExactNumbers } from './exact-numbers';
import { shown } from '../../wording/phrases';

/** The pairs of `name=value` flags, with an issue for each wrong flag. */
export interface Pairs {
  readonly pairs: readonly (readonly [string, string])[];
  readonly issues: readonly FlagIssue[];
}

/** Parses the values of a repeatable `name=value` flag. */
export function pairs(flag: string, written: readonly string[]): Pairs {
  const split = written.map((pair) => /^([^=]+)=(.*)$/s.exec(pair) ?? pair);
  return {
    pairs: split.flatMap((match) => (typeof match === 'string' ? [] : [[match[1] ?? '', match[2] ?? ''] as const])),
    issues: split.flatMap((match) => {
      if (typeof match === 'string') return [{ flag, message: `${shown(match)} is no pair; write it as name=value` }];
      const [, name = '', value = ''] = match;
      const json = parsed(value);
      if (typeof json !== 'object' || json === null || hasExactNumbers(value)) return [];
      return [{ flag: `${flag} ${name}`, message: 'a number in it has too many digits; write the number in quotes' }];
    }),
  };
}

/** A flag's value: parsed as JSON if possible, otherwise text. A number that would lose digits stays text. */
export function jsonOrText(value: string): unknown {
  const json = parsed(value);
  return json === undefined || !hasExactNumbers(value) ? value : json;
}

/** Undefined if the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
