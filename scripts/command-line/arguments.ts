import { InvalidArgumentError } from 'commander';
import { ID_PATTERN } from '../../contracts/identifiers';

/**
 * Parsers of command-line values. All but `collect` throw InvalidArgumentError for an invalid value, with the allowed
 * values in the message.
 */

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function id(value: string): string {
  if (ID_PATTERN.test(value)) return value;
  throw new InvalidArgumentError(
    'An id is letters, digits, dots, dashes and underscores, at most 64, the first a letter or digit.',
  );
}

export function integer(value: string): number {
  if (/^\d+$/.test(value) && Number.isSafeInteger(Number(value))) return Number(value);
  throw new InvalidArgumentError('It must be a whole number, 0 or more.');
}

export function positive(value: string): number {
  if (integer(value) > 0) return Number(value);
  throw new InvalidArgumentError('It must be 1 or more.');
}

export function amount(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a number, 0 or more.');
}

export function share(value: string): number {
  if (amount(value) <= 1) return Number(value);
  throw new InvalidArgumentError('It must be between 0 and 1.');
}
