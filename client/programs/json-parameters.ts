import { z } from 'zod';
import { NOT_JSON } from '../production-file';
import { InvalidInput } from './invalid-input';

const Json = z.json();

/**
 * Checks that parameters are JSON and removes undefined ones.
 *
 * @throws InvalidInput for values that JSON cannot express, such as NaN, which would be sent as null.
 */
export function jsonParameters(
  parameters: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, z.infer<typeof Json>>> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const read = given.map(([name, value]) => [name, Json.safeParse(value)] as const);
  const issues = read.filter(([, { success }]) => !success).map(([name]) => ({ flag: name, message: NOT_JSON }));
  if (issues.length > 0) throw new InvalidInput(issues);
  return Object.fromEntries(read.flatMap(([name, { data }]) => (data === undefined ? [] : [[name, data]])));
}
