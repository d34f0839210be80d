/** What `npm run bench` was asked for. */
export interface Asked {
  /** Measures, with the numbers that each was given; in their order. */
  readonly measures: readonly { readonly name: string; readonly numbers: readonly number[] }[];
  /** Whether the figures are kept, and the page written anew. */
  readonly save: boolean;
}

/**
 * Reads `[NAME [NUMBER ...] ...] [--save]`; without a name all measures are meant.
 *
 * @throws Error where a name or flag is unknown, and where numbers would be kept: what is kept has the usual ones.
 */
export function readArguments(args: readonly string[], names: readonly string[]): Asked {
  const measures: { name: string; numbers: number[] }[] = [];
  let save = false;
  for (const argument of args) {
    const last = measures.at(-1);
    if (argument === '--save') save = true;
    else if (names.includes(argument)) measures.push({ name: argument, numbers: [] });
    else if (/^\d+$/.test(argument) && last !== undefined) last.numbers.push(Number(argument));
    else throw new Error(`no measure "${argument}"; there are ${names.join(', ')}, and --save`);
  }
  if (save && measures.some(({ numbers }) => numbers.length > 0)) {
    throw new Error('--save keeps measures of the usual size: leave the numbers out');
  }
  return { measures: measures.length > 0 ? measures : names.map((name) => ({ name, numbers: [] })), save };
}
