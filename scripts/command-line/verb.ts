import { Option, type Command } from 'commander';
import { PRIORITIES } from '../../contracts/arbiter';
import { collect, id } from './arguments';

/** A verb of the command, with what every verb takes. */
export function verb(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--verbose', 'show where an error happened');
}

/** What a verb takes that changes a production and has it rendered. */
export function outcome(command: Command): Command {
  return command
    .option('--yes', 'say yes beforehand')
    .option('--no-wait', 'end as soon as it is under way')
    .option('--out <folder>', 'where the film and all that belongs to it goes; default as before, or out/<id>')
    .option('--quiet', 'show no progress')
    .addOption(json());
}

/** What a verb takes that asks for another take of a shot. */
export function retaking(command: Command): Command {
  return outcome(command)
    .argument('<id>', 'the production', id)
    .argument('<shot>', 'the shot', id)
    .option('--prompt <text>', 'another prompt')
    .option('--set <name=value>', 'another parameter; null takes it away; may come again', collect)
    .option('--model <id>', 'another model: its id, title or workflow name');
}

/** Where its tasks stand among all that the account submits. */
export function priority(): Option {
  return new Option('--priority <priority>', 'whose turn comes first where the account has limits').choices(PRIORITIES);
}

export function json(): Option {
  return new Option('--json', 'print one JSON object on stdout');
}
