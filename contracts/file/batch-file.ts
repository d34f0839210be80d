import { z } from 'zod';
import { ID_PATTERN } from '../identifiers';
import { PRIORITIES } from '../gateway/arbiter';
import { DEFAULT_PARALLEL, MAX_PARALLEL } from '../render/batch';
import { Notify } from './notify';
import { Defaults, FallbackInFile, ModelEntry, MODELS_BEYOND, ReadyByInFile } from './production';

/** The batch file as written in YAML or JSON. CSV and JSONL lists contain rows only. */

/** A production or generation with placeholders `{{column}}` that each row fills. */
const TEMPLATE = z.record(z.string(), z.unknown());

const Rows = z.union([z.string().min(1), z.array(z.record(z.string(), z.unknown())).min(1)], {
  error: 'must be the path of a CSV or JSONL file, or a list of rows',
});

/** The kinds of content. A file has exactly one. */
export const BATCH_CONTENTS = ['generations', 'productions', 'generation', 'production'] as const;
export type BatchContent = (typeof BATCH_CONTENTS)[number];

/** Whether a parsed YAML or JSON file is a batch, not a production. */
export function holdsBatch(value: unknown): boolean {
  return typeof value === 'object' && value !== null && BATCH_CONTENTS.some((content) => Object.hasOwn(value, content));
}

export const BatchFile = z
  .strictObject({
    id: z
      .string()
      .regex(
        ID_PATTERN,
        'must be letters, digits, dots, dashes or underscores, at most 64, the first a letter or digit',
      )
      .optional()
      .describe('Name of the batch: of its folder and its records. Default: from the file name.'),
    title: z.string().min(1).optional().describe('What the batch is called. Default: the id.'),
    parallel: z
      .int()
      .min(1)
      .max(MAX_PARALLEL)
      .optional()
      .describe(`Most rows under way at once. Default: ${DEFAULT_PARALLEL}.`),
    stopAfterFailures: z
      .int()
      .min(1)
      .optional()
      .describe('Failed rows after which no further ones are begun. Default: failures stop nothing.'),
    priority: z
      .enum(PRIORITIES)
      .optional()
      .describe('Whose turn comes first at the gateway, where the account has limits. Default: batch.'),
    notify: Notify.optional().describe(
      'Who is told, by an HTTP POST, when the batch has ended, and once when rows wait for somebody.',
    ),
    readyBy: ReadyByInFile.optional().describe(
      'When it is to be ready: its rows become urgent as the time nears. A time of day is the next one after a run begins, in the zone that is named, else of the machine. Productions that name none have this one.',
    ),
    fallback: FallbackInFile.optional().describe(
      'How the rows that make video and are not submitted yet are rendered where they would not be ready by readyBy otherwise. Default: it is only told.',
    ),
    defaults: Defaults.loose().optional().describe('Values for every generation that does not set its own.'),
    models: z.record(z.string().min(1), ModelEntry).optional().describe(MODELS_BEYOND),
    generations: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .optional()
      .describe('Single tasks, each with a key.'),
    productions: z.array(z.record(z.string(), z.unknown())).min(1).optional().describe('Productions, each with an id.'),
    generation: TEMPLATE.optional().describe('One task, made for each of the rows.'),
    production: TEMPLATE.optional().describe('One production, made for each of the rows.'),
    rows: Rows.optional().describe('What fills the places of a generation or production: `{{column}}`.'),
  })
  .refine(
    (file) => BATCH_CONTENTS.filter((content) => file[content] !== undefined).length === 1,
    `must have one of ${BATCH_CONTENTS.join(', ')}`,
  )
  .refine(
    (file) => (file.rows === undefined) === (file.generation === undefined && file.production === undefined),
    'must have rows where it has one generation or production to make of each, and nowhere else',
  );
export type BatchFile = z.infer<typeof BatchFile>;
