import { InvalidArgumentError, type Command } from 'commander';
import { runVerb, type VerbOutput } from '../process/run-verb';
import type { LimitOptions } from '../verbs/limits';
import { amount, positive } from './arguments';
import { json, verb } from './verb';

/** Verbs about a whole gateway account. */
export function addAccountVerbs(program: Command): void {
  verb(program, 'limits', 'show or set the limits of the account; the value none removes a limit')
    .option('--in-flight <number>', 'maximum number of unfinished tasks', orNone(positive))
    .option('--per-second <number>', 'maximum number of submits per second', orNone(aboveZero))
    .option('--per-minute <number>', 'maximum number of submits per minute', orNone(positive))
    .option('--credits-per-day <credits>', 'maximum that the gateway may charge per day (UTC)', orNone(amount))
    .option('--model <id>', 'limit only this model (id, title or workflow name); the limits of the account apply too')
    .addOption(json())
    .action((options: LimitOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/limits.js')).limits(options)),
    );

  verb(program, 'queue', 'show the takes that wait to be submitted: why, since when, and which is next')
    .addOption(json())
    .action((options: VerbOutput) => runVerb(options, async () => (await import('../verbs/queue.js')).queue(options)));
}

/** Makes a parser of a number or of `none`, which removes a limit. */
function orNone(read: (value: string) => number): (value: string) => number | 'none' {
  return (value) => {
    if (value === 'none') return value;
    try {
      return read(value);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(`${error.message} To remove the limit, give the word none.`);
    }
  };
}

function aboveZero(value: string): number {
  if (amount(value) > 0) return Number(value);
  throw new InvalidArgumentError('It must be more than 0.');
}
