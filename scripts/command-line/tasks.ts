import { Option, type Command } from 'commander';
import { runVerb, type VerbOutput } from '../process/run-verb';
import type { GenerateOptions } from '../verbs/generate';
import { collect, id } from './arguments';
import { json, priority, verb } from './verb';

export function addTaskVerbs(program: Command): void {
  verb(program, 'generate', 'run one task of any model')
    .option('--model <id>', 'the model: its id, title or workflow name')
    .option(
      '--workflow <name>',
      'send the task to /workflows/NAME of the gateway; without --model, NAME is also the model',
    )
    .option('--prompt <text>', 'what to make')
    .option('--set <name=value>', 'a parameter; can be repeated', collect)
    .option('--file <name=path>', 'a parameter that is a file: path or address; can be repeated', collect)
    .option('--schema <file>', 'JSON Schema of the parameters of the model; they are checked against it')
    .addOption(new Option('--output <kind>', 'what the model makes').choices(['video', 'image', 'audio', 'text']))
    .addOption(priority())
    .option('--execute', 'wait for the answer in one call; for models that need well under 20 s')
    .option(
      '--id <id>',
      'name of the task; default: derived from the flags, so that the same flags cost nothing again',
      id,
    )
    .option('--out <folder>', 'folder for the result; default: out/<id>')
    .addOption(json())
    .action((options: GenerateOptions & VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/generate.js')).generate(options)),
    );

  verb(program, 'models', 'list the known models, or the parameters of one')
    .argument('[id]', 'id, title or workflow name of a model')
    .addOption(json())
    .action((model: string | undefined, options: VerbOutput) =>
      runVerb(options, async () => (await import('../verbs/models.js')).models(model, options)),
    );
}
