import { z } from 'zod';
import { PRIORITIES } from '../gateway/arbiter';
import { Assembly, CaptionInFile, TransitionInFile } from './assembly';
import { ID_PATTERN } from '../identifiers';
import { KNOWN_MODELS, type KnownModel, OutputKind } from '../gateway/models';
import { Notify } from './notify';
import { DEFAULT_MAX_IN_FLIGHT } from '../render/plan';
import { readyByRule } from './ready-by';
import {
  DEFAULT_PARAMETERS,
  defaultParameter,
  FILE_PARAMETERS_IN_FILE,
  FrameLinkValue,
  MarkedFile,
  parametersInFile,
  Resolution,
} from './production-parameters';
import { PAYING_RULES } from './shot-rules';

/** The production file. The loader checks it against these schemas, and editors use the JSON Schema made from them. */

/** Name of the film in the out folder: no subfolders; letters of any writing system. */
const FILM_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,95}\.mp4$/u;

const Id = z
  .string()
  .regex(
    ID_PATTERN,
    'must be letters from a to z, digits, dots, dashes or underscores, at most 64, the first a letter or digit',
  );

const KNOWN_NAMES = KNOWN_MODELS.flatMap(namesOf);

/** Pattern for names of unknown models, in a form that JSON Schema supports. */
const OTHER_MODEL = new RegExp(`^(?!(?:${KNOWN_NAMES.join('|').replaceAll('.', '\\.')})$)`);

/** Description of the field `models`. */
export const MODELS_BEYOND = `Models beyond ${KNOWN_MODELS.map(({ title }) => title).join(' and ')}, by id.`;

const MODEL = 'The model: its id, its title or its workflow name.';

const COMMON = {
  caption: CaptionInFile.optional().describe(
    "The shot's subtitle, or a list of subtitles with their times in the shot.",
  ),
  transition: TransitionInFile.optional().describe(
    "Transition from the previous shot into this one. Default: the film's transition.",
  ),
  ...PAYING_RULES,
  anchor: z.boolean().optional().meta({
    description:
      "For a shot that starts on another shot's last frame: corrects that frame to the colours of the chain's first clip, so that colour drift does not add up along the chain. Has no effect on the chain's second shot, which starts on a frame of the first clip itself.",
    default: false,
  }),
  drift: z
    .literal('expected')
    .optional()
    .describe(
      'The shot is meant to differ in colour from the first shot of its chain, for example because night falls. Turns off drift warnings for it and for the shots that continue it.',
    ),
};

const SHOT_ID = Id.describe('Names the shot in links and file names. Unique, ignoring case.');

/** The shot schema of each known model, by the model's id. */
const KNOWN_SHOTS = new Map(KNOWN_MODELS.map((model) => [model.id, shotOf(model)]));

/** A shot of a model that Dailies does not know. The model, or the user's own JSON Schema, defines the parameters. */
export const OtherShot = z
  .object({
    id: SHOT_ID,
    model: z.string().regex(OTHER_MODEL).describe(MODEL),
    ...FILE_PARAMETERS_IN_FILE,
    ...COMMON,
  })
  .catchall(
    z.union([FrameLinkValue, MarkedFile, z.json()], {
      error:
        'must be a JSON value, { file: path }, { lastFrameOf: shot }, { firstFrameOf: shot }, { still: … } or { stillOf: shot }',
    }),
  );

/** Returns the schema of a model's shots: `OtherShot` if Dailies does not know the model. */
export function shotSchemaOf(model: KnownModel | undefined): z.ZodObject {
  return KNOWN_SHOTS.get(model?.id ?? '') ?? OtherShot;
}

/** Values for every shot that does not set its own and whose model has the parameter. */
export const Defaults = z.strictObject({
  model: z.string().min(1).optional().describe(MODEL),
  ...DEFAULT_PARAMETERS,
  ...PAYING_RULES,
  anchor: COMMON.anchor,
  drift: COMMON.drift,
});

/** A model other than the known ones. */
export const ModelEntry = z.strictObject({
  workflow: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The workflow name that the gateway gives the model. Tasks are then submitted to an address of this model alone.',
    ),
  schema: z.string().min(1).optional().describe('Path of a JSON Schema of the parameters, which are then checked.'),
  output: OutputKind.optional().meta({ description: 'What the model makes.', default: 'video' }),
  quick: z
    .boolean()
    .optional()
    .describe(
      'Whether its tasks end well within 20 seconds. If so, one call submits the task and waits for its result. Default: false for video; otherwise decided from the recent tasks of the model.',
    ),
});
export type ModelEntry = z.infer<typeof ModelEntry>;

export const Output = z.strictObject({
  file: z
    .string()
    .regex(FILM_NAME, 'must be a file name without folders that ends in .mp4, for example film.mp4')
    .optional()
    .meta({ description: 'File name of the film.', default: 'film.mp4' }),
  resolution: Resolution.optional().describe(
    "Resolution of the film. Default: the first clip's. If `aspectRatio` is set: the resolution that the first video shot requests.",
  ),
  aspectRatio: z
    .enum(['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'])
    .optional()
    .describe(
      "Aspect ratio of the film. Default: the first clip's. If `resolution` is set: the aspect ratio that the first video shot requests.",
    ),
  frameRate: z.number().min(1).max(120).optional().describe("Frames per second. Default: the first clip's."),
});
export type Output = z.infer<typeof Output>;

/** Changes that the fallback makes to a shot. Absent fields stay as they are. */
export const FallbackInFile = z.strictObject({
  model: z.string().min(1).optional().describe(MODEL),
  resolution: defaultParameter('resolution'),
  duration: defaultParameter('duration'),
  takes: PAYING_RULES.takes,
});
export type FallbackInFile = Readonly<Partial<Record<'model' | 'resolution' | 'duration' | 'takes', unknown>>>;

export const ReadyByInFile = z
  .string()
  .refine(
    (text) => readyByRule(text) !== undefined,
    'must be a time of day, such as 08:00 or 08:00 Europe/Berlin, or an instant with its zone, such as 2026-03-01T08:00:00+01:00',
  );

export const ProductionFile = z.strictObject({
  id: Id.optional().describe('Names the production, its out folder and its records. Default: from the file name.'),
  title: z.string().min(1).optional().describe('Title of the film. Default: the id.'),
  defaults: Defaults.optional().describe('Values for every shot that does not set its own.'),
  models: z.record(z.string().min(1), ModelEntry).optional().describe(MODELS_BEYOND),
  shots: z
    .array(z.union([...KNOWN_SHOTS.values(), OtherShot]))
    .min(1)
    .describe('The shots in the order of the film.'),
  maxInFlight: z
    .int()
    .min(1)
    .optional()
    .describe(`Maximum number of shots under way at once. Default: ${DEFAULT_MAX_IN_FLIGHT}.`),
  priority: z.enum(PRIORITIES).optional().meta({
    description:
      'Priority of its tasks if the account has limits (`dailies limits`) or is throttled: urgent goes first, then normal, then batch. Productions of equal priority take turns.',
    default: 'normal',
  }),
  onUnclear: z.enum(['park', 'resubmit']).optional().meta({
    description:
      'What happens to a shot if it is unknown whether the gateway accepted its task. park: it waits for a person. resubmit: it is sent again, at most once per take, and may be paid for twice.',
    default: 'park',
  }),
  budget: z
    .strictObject({
      credits: z.number().min(0).describe('Maximum charge over all renders of the production, in credits.'),
    })
    .optional()
    .describe(
      'Limits what the production may cost. Shots that do not fit wait for you, at no cost. Default: no limit.',
    ),
  notify: Notify.optional().describe('Where to send an HTTP POST when the production has ended or waits for a person.'),
  readyBy: ReadyByInFile.optional().describe(
    'When the production must be ready. Its shots become urgent as that time approaches. A time of day, such as 08:00, means its next occurrence after a render begins, in the time zone written after it, or else in that of the schedule or the machine.',
  ),
  fallback: FallbackInFile.optional().describe(
    'Changes for video shots that are not submitted yet, used if the production would otherwise miss readyBy. Default: none; Dailies only warns.',
  ),
  assembly: Assembly.optional().describe('How the shots are assembled into the film.'),
  output: Output.optional().describe('File name and format of the film.'),
});
export type ProductionFile = z.infer<typeof ProductionFile>;

function shotOf(model: KnownModel) {
  return z.strictObject({
    id: SHOT_ID,
    model: z.enum(namesOf(model)).optional().describe(MODEL),
    ...parametersInFile(model),
    ...COMMON,
  });
}

function namesOf({ title, id, workflow }: KnownModel): readonly string[] {
  return [title, id, workflow];
}
