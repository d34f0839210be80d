/** The arguments of `npm run bench`. */
export interface Asked {
  /** The measures to run, in order, each with the numbers that follow its name. */
  readonly measures: readonly { readonly name: string; readonly numbers: readonly number[] }[];
  /** Whether to save the results and rewrite docs/benchmarks.md. */
  readonly save: boolean;
}

/**
 * Parses `[NAME [NUMBER ...] ...] [--save]`. Without a name, all measures run.
 *
 * @throws Error for an unknown name or flag, for a number before the first name, and for numbers with `--save`: saved
 *   measures have the usual size.
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
    throw new Error('--save saves only measures of the usual size: leave the numbers out');
  }
  return { measures: measures.length > 0 ? measures : names.map((name) => ({ name, numbers: [] })), save };
}
