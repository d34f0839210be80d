import { Option, type Command } from 'commander';
import { runVerb, type VerbOutput } from '../run-verb';
import type { GenerateOptions } from '../verbs/generate';
import { collect, id } from './arguments';
import { json, priority, verb } from './verb';

/** Single tasks of any model. */
export function addTaskVerbs(program: Command): void {
  verb(program, 'generate', 'run one task of any model')
    .option('--model <id>', 'the model: its id, title or workflow name')
    .option('--workflow <name>', "call the model at its workflow's own addresses")
    .option('--prompt <text>', 'what to make')
    .option('--set <name=value>', 'a parameter; may come again', collect)
    .option('--file <name=path>', 'a parameter that is a file, by path or address; may come again', collect)
    .option('--schema <file>', "JSON Schema of the model's parameters, which are then checked")
    .addOption(new Option('--output <kind>', 'what the model makes').choices(['video', 'image', 'audio', 'text']))
    .addOption(priority())
    .option('--execute', 'wait for the answer in one call; for models that need well under 20 s')
    .option('--id <id>', 'name of the task; default made of the flags, so that the same flags cost nothing again', id)
    .option('--out <folder>', 'where the result goes; default out/<id>')
    .addOption(json())
    .action((options: GenerateOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/generate.js')).generate(options)),
    );

  verb(program, 'models', 'show the models that are known, or the parameters of one')
    .argument('[id]', 'id, title or workflow name of a model')
    .addOption(json())
    .action((model: string | undefined, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/models.js')).models(model, options)),
    );
}
