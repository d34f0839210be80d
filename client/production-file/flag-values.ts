import { type FlagIssue } from './issue';
import { shown } from './wording';

/** What `name=value` flags say, as far as they are pairs. */
export interface Pairs {
  readonly pairs: readonly (readonly [string, string])[];
  readonly issues: readonly FlagIssue[];
}

/** Takes the values of a flag that may come again apart. */
export function pairs(flag: string, written: readonly string[]): Pairs {
  const split = written.map((pair) => /^([^=]+)=(.*)$/s.exec(pair) ?? pair);
  return {
    pairs: split.flatMap((match) => (typeof match === 'string' ? [] : [[match[1] ?? '', match[2] ?? ''] as const])),
    issues: split.flatMap((match) =>
      typeof match === 'string' ? [{ flag, message: `${shown(match)} is no pair; write it as name=value` }] : [],
    ),
  };
}

/** A value as a flag has it: JSON where it is JSON, and text otherwise. */
export function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
