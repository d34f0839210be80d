import { InvalidArgumentError, type Command } from 'commander';
import { runVerb, type VerbOutput } from '../run-verb';
import type { LimitOptions } from '../verbs/limits';
import { amount, positive } from './arguments';
import { json, verb } from './verb';

/** What holds for a whole gateway account. */
export function addAccountVerbs(program: Command): void {
  verb(program, 'limits', 'show what the account may submit, or set it; none takes a limit away')
    .option('--in-flight <number>', 'most unfinished tasks at once', orNone(positive))
    .option('--per-second <number>', 'most submits a second', orNone(aboveZero))
    .option('--per-minute <number>', 'most submits a minute', orNone(positive))
    .option(
      '--credits-per-day <credits>',
      'most that the gateway may charge from midnight to midnight, UTC',
      orNone(amount),
    )
    .option('--model <id>', 'for this model alone, beside the account: its id, title or workflow name')
    .addOption(json())
    .action((options: LimitOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/limits.js')).limits(options)),
    );

  verb(program, 'queue', 'show what waits to be submitted, why, since when, and what is next')
    .addOption(json())
    .action((options: VerbOutput) => runVerb(options, async () => (await import('../verbs/queue.js')).queue(options)));
}

/** A number, or the word by which a limit is taken away. */
function orNone(read: (value: string) => number): (value: string) => number | 'none' {
  return (value) => {
    if (value === 'none') return value;
    try {
      return read(value);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(`${error.message} Or none, to take the limit away.`);
    }
  };
}

function aboveZero(value: string): number {
  if (amount(value) > 0) return Number(value);
  throw new InvalidArgumentError('It must be more than 0.');
}
