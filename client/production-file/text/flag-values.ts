import { type FlagIssue } from '../issue';
import { shown } from '../../wording/phrases';

/** The pairs of `name=value` flags, with issues for flags that are not pairs. */
export interface Pairs {
  readonly pairs: readonly (readonly [string, string])[];
  readonly issues: readonly FlagIssue[];
}

/** Parses the values of a repeatable `name=value` flag. */
export function pairs(flag: string, written: readonly string[]): Pairs {
  const split = written.map((pair) => /^([^=]+)=(.*)$/s.exec(pair) ?? pair);
  return {
    pairs: split.flatMap((match) => (typeof match === 'string' ? [] : [[match[1] ?? '', match[2] ?? ''] as const])),
    issues: split.flatMap((match) =>
      typeof match === 'string' ? [{ flag, message: `${shown(match)} is no pair; write it as name=value` }] : [],
    ),
  };
}

/** A flag's value: parsed as JSON if possible, otherwise text. */
export function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
