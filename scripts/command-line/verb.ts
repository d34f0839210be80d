import { Option, type Command } from 'commander';
import { PRIORITIES } from '../../contracts/gateway/arbiter';
import { collect, id } from './arguments';

/** Adds a verb with the option that every verb has. */
export function verb(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--verbose', 'show where an error happened');
}

/** Adds the options of a verb that changes a production and renders it. */
export function outcome(command: Command): Command {
  return command
    .option('--yes', 'do not ask')
    .option('--no-wait', 'return as soon as the work has started')
    .option('--out <folder>', 'folder for the film and its files; default: the one given last, or out/<id>')
    .option('--quiet', 'show no progress')
    .addOption(json());
}

/** Adds the arguments and options of a verb that makes another take of a shot. */
export function retaking(command: Command): Command {
  return outcome(command)
    .argument('<id>', 'the production', id)
    .argument('<shot>', 'the shot', id)
    .option('--prompt <text>', 'a new prompt')
    .option('--set <name=value>', 'change a parameter; null removes it; can be repeated', collect)
    .option('--model <id>', 'another model: its id, title or workflow name at the gateway');
}

/** The priority among all tasks of the account. */
export function priority(): Option {
  return new Option('--priority <priority>', 'which tasks go first if the account has limits or is throttled').choices(
    PRIORITIES,
  );
}

export function json(): Option {
  return new Option('--json', 'print one JSON value on stdout');
}
