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

/** The fields for the content of a batch. A file has exactly one of them. */
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
      .describe('Names the batch, its out folder and its records. Default: from the file name.'),
    title: z.string().min(1).optional().describe('Title of the batch. Default: the id.'),
    parallel: z
      .int()
      .min(1)
      .max(MAX_PARALLEL)
      .optional()
      .describe(`Maximum number of rows under way at once. Default: ${DEFAULT_PARALLEL}.`),
    stopAfterFailures: z
      .int()
      .min(1)
      .optional()
      .describe('Number of failed rows after which no more rows start. Default: no limit.'),
    priority: z
      .enum(PRIORITIES)
      .optional()
      .describe(
        'Priority of its tasks if the account has limits or is throttled: urgent goes first, then normal, then batch. Default: batch.',
      ),
    notify: Notify.optional().describe(
      'Where to send an HTTP POST when the batch has ended, and once when rows wait for a person.',
    ),
    readyBy: ReadyByInFile.optional().describe(
      'When the batch must be ready. Its rows become urgent as that time approaches. A time of day, such as 08:00, means its next occurrence after a run begins, in the time zone written after it, or else in that of the schedule or the machine. Also applies to its productions that have no readyBy of their own.',
    ),
    fallback: FallbackInFile.optional().describe(
      'Changes for video rows that are not submitted yet, used if the batch would otherwise miss readyBy. Default: none; Dailies only warns.',
    ),
    defaults: Defaults.loose().optional().describe('Values for every generation that does not set its own.'),
    models: z.record(z.string().min(1), ModelEntry).optional().describe(MODELS_BEYOND),
    generations: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .optional()
      .describe('Single tasks, each with a key.'),
    productions: z.array(z.record(z.string(), z.unknown())).min(1).optional().describe('Productions, each with an id.'),
    generation: TEMPLATE.optional().describe('A template of one task, filled in for each row.'),
    production: TEMPLATE.optional().describe('A template of one production, filled in for each row.'),
    rows: Rows.optional().describe('The values for `{{column}}` in the generation or production.'),
  })
  .refine(
    (file) => BATCH_CONTENTS.filter((content) => file[content] !== undefined).length === 1,
    `must have one of ${BATCH_CONTENTS.join(', ')}`,
  )
  .refine(
    (file) => (file.rows === undefined) === (file.generation === undefined && file.production === undefined),
    'must have rows if it has a generation or production template, and only then',
  );
export type BatchFile = z.infer<typeof BatchFile>;
