import { z } from 'zod';
import { ROW_STATES } from '../../contracts/states';
import { type RowsRequest } from '../batch';
import { InvalidInput } from './invalid-input';

/** The largest number of rows that one request may ask for. */
const MOST_ROWS = 1_000;

const STATES = [...ROW_STATES, 'under way', 'pending'] as const;

const REQUEST = {
  offset: [z.int().min(0), 'a whole number, 0 or more'],
  limit: [z.int().min(1).max(MOST_ROWS), `a whole number from 1 to ${MOST_ROWS}`],
  state: [z.enum(STATES), `one of ${STATES.join(', ')}`],
  key: [z.string().max(64), 'the beginning of a key, at most 64 characters'],
} as const satisfies Record<keyof RowsRequest, readonly [z.ZodType, string]>;

/** Checks a request for rows and fills in its defaults. @throws InvalidInput for an invalid value. */
export function checkedRows({ offset = 0, limit = 100, state, key }: Partial<RowsRequest>): RowsRequest {
  const given = { offset, limit, state, key };
  const issues = Object.entries(REQUEST).flatMap(([name, [schema, allowed]]) => {
    const value = given[name as keyof RowsRequest];
    if (value === undefined || schema.safeParse(value).success) return [];
    return [{ flag: name, message: `${JSON.stringify(value)} is not allowed; give ${allowed}` }];
  });
  if (issues.length > 0) throw new InvalidInput(issues);
  return given;
}
