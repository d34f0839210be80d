import { z } from 'zod';
import { PRIORITIES } from '../../contracts/gateway/arbiter';
import { type BatchBounds, MAX_PARALLEL } from '../../contracts/render/batch';
import { type RenderFlags } from '../../contracts/render/render-basis';
import { didYouMean } from '../wording/phrases';
import { InvalidInput } from './invalid-input';

const POSITIVE = 'a whole number, 1 or more';

const OPTIONS = {
  maxInFlight: [z.int().min(1).nullable(), `${POSITIVE}, or null for the maximum in the file`],
  parallel: [z.int().min(1).max(MAX_PARALLEL), `a whole number from 1 to ${MAX_PARALLEL}`],
  stopAfterFailures: [z.int().min(1).nullable(), `${POSITIVE}, or null for no limit`],
  priority: [z.enum(PRIORITIES), `one of ${PRIORITIES.join(', ')}`],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

type Options = Partial<Pick<RenderFlags, 'maxInFlight'> & BatchBounds>;

const NAMES = Object.keys(OPTIONS);

/**
 * Checks the options of a render, batch or task and removes undefined ones.
 *
 * @throws InvalidInput for an unknown option, or a value that is not allowed.
 */
export function checkedOptions<Given extends { readonly [Name in keyof Options]: Options[Name] | undefined }>(
  given: Given,
): { readonly [Name in keyof Given]?: Exclude<Given[Name], undefined> } {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  const issues = named.flatMap(([name, value]) => {
    if (!NAMES.includes(name)) return [{ flag: name, message: unknownOption(name) }];
    const [schema, allowed] = OPTIONS[name as keyof Options];
    const message = `${String(value)} is not allowed; give ${allowed}`;
    return schema.safeParse(value).success ? [] : [{ flag: name, message }];
  });
  if (issues.length > 0) throw new InvalidInput(issues);
  return Object.fromEntries(named) as { readonly [Name in keyof Given]?: Exclude<Given[Name], undefined> };
}

function unknownOption(name: string): string {
  return `unknown option; allowed are ${NAMES.join(', ')}.${didYouMean(name, NAMES)}`;
}
