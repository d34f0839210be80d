import { z } from 'zod';
import { FILE_PARAMETERS, KNOWN_MODELS, type KnownModel, type ParameterName } from '../gateway/models';
import { PAYING_RULES } from './shot-rules';

/**
 * Model parameters as a production file writes them: one spelling for all models, and files by path, address or link.
 */

/** Descriptions that editors show. */
const DESCRIPTIONS: Readonly<Record<ParameterName, string>> = {
  prompt:
    'What is seen and heard, or { from: … } to have a text model write it. alpha-video: at most 5000 characters; beta-video: required.',
  duration: 'Length of the clip in seconds. alpha-video: 5, 10, 15, 30 or -1; beta-video: 4 to 30.',
  resolution: 'Resolution of the picture, spelt the same for every model.',
  aspectRatio: 'Aspect ratio of the picture; adaptive follows the start frame. 21:9: only beta-video.',
  generateAudio: 'Whether the model makes sound for the clip.',
  startFrame: 'Picture that the clip starts on: a path, an address, a frame of another shot, or a still.',
  endFrame: 'Picture that the clip ends on: a path, an address, a frame of another shot, or a still.',
  imageUrls: 'Reference pictures: paths, addresses, frames of other shots, or stills.',
  videoUrls: 'Reference videos: paths or addresses. At most 30 s each for beta-video.',
  audioUrls: 'Reference sounds: paths or addresses. At most 30 s each for beta-video.',
  enableThinking: 'Lets the model plan before it renders (alpha-video).',
  watermark: 'Whether the clip carries a watermark (alpha-video).',
  seed: 'Random seed, 0 to 2147483647. The same request with the same seed gives the same result (alpha-video).',
  returnLastFrame: 'Asks the gateway for the last frame (beta-video). Links set it automatically.',
  outputFormat: 'Container of the clip (beta-video).',
  colorDepth: 'Bits per colour channel (beta-video).',
};

/**
 * A shot written inline as another shot's parameter.
 *
 * The loader checks the shot by the schema of its model; this schema only helps editors to complete fields.
 */
const NestedShot = z
  .object({
    model: z.string().min(1).optional().describe('The model: its id, its title or its workflow name.'),
    prompt: z.json().optional().describe('What the picture shows, or what the text is about.'),
    ...PAYING_RULES,
  })
  .catchall(z.json());

/** The ways to name a picture of this production. Exactly one is given. */
const LINKS = ['lastFrameOf', 'firstFrameOf', 'still', 'stillOf'] as const;

/** A picture of another shot of the same production: a frame of its clip, a still, or its output. */
export const FrameLinkValue = z
  .strictObject({
    lastFrameOf: z.string().min(1).optional().describe('Id of the shot whose last frame is used.'),
    firstFrameOf: z.string().min(1).optional().describe('Id of the shot whose first frame is used.'),
    still: NestedShot.optional().describe(
      'A picture that is generated first: an image model, its parameters, and takes and review as for a shot.',
    ),
    stillOf: z
      .string()
      .min(1)
      .optional()
      .describe('Id of a shot whose still is used, or of a shot whose output is a picture.'),
    parameter: z
      .string()
      .min(1)
      .optional()
      .describe('Which still of that shot, if it has several; for example endFrame.'),
  })
  .refine(
    (link) => LINKS.filter((name) => link[name] !== undefined).length === 1,
    'must have one of lastFrameOf, firstFrameOf, still or stillOf',
  )
  .refine(
    ({ parameter, stillOf }) => parameter === undefined || stillOf !== undefined,
    'must have stillOf if it has parameter',
  )
  .meta({ id: 'FrameLink', minProperties: 1, maxProperties: 2 });
export type FrameLinkValue = z.infer<typeof FrameLinkValue>;

/** A text that a text model writes before the shot is sent. */
const WrittenText = z
  .strictObject({
    from: NestedShot.describe('A text model, its prompt and other parameters; takes and review as for a shot.'),
  })
  .meta({ id: 'WrittenText' });

/** A file: a path relative to the production file, an http(s) address, or a picture of this production. */
export const FileValue = z
  .union([z.string().min(1), FrameLinkValue], {
    error:
      'must be a path, an http(s) address, { lastFrameOf: shot }, { firstFrameOf: shot }, { still: … } or { stillOf: shot }',
  })
  .meta({ id: 'FileValue' });
export type FileValue = z.infer<typeof FileValue>;

/** Marks a file among the parameters of a model that Dailies does not know. */
export const MarkedFile = z.strictObject({
  file: z.string().min(1).describe('A path relative to this file, or an http(s) address.'),
});

const PROMPT_RULE = 'must be text, or { from: { model, prompt } }';

/** Resolutions of the film. */
export const Resolution = resolutionInFile(['480p', '720p', '1080p']);

/** Schemas of a known model's parameters, without the gateway's defaults: absent values are not sent. */
export function parametersInFile({ parameters }: KnownModel): Record<string, z.ZodType> {
  return inFileSpelling(parameters.shape);
}

/**
 * All parameters of all known models. A shared parameter has the schema of the last model that has the parameter. If
 * that schema refuses values that another model accepts, the parameter is written out below. A test checks this.
 */
export const DEFAULT_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(KNOWN_MODELS.flatMap((model) => Object.entries(parametersInFile(model)))),
  prompt: z.string().optional().describe(DESCRIPTIONS.prompt),
  duration: z.int().min(4).max(30).or(z.literal(-1)).optional().describe(DESCRIPTIONS.duration),
  resolution: resolutionInFile(KNOWN_MODELS.flatMap(({ parameters }) => choicesOf(parameters.shape['resolution'])))
    .optional()
    .describe(DESCRIPTIONS.resolution),
};

/** Returns the schema of a parameter. @throws Error if no known model has the parameter. */
export function defaultParameter(name: string): z.ZodType {
  const schema = DEFAULT_PARAMETERS[name];
  if (schema === undefined) throw new Error(`no known model has a parameter ${name}`);
  return schema;
}

/** File parameters for models that Dailies does not know: the same as those of known models. */
export const FILE_PARAMETERS_IN_FILE = Object.fromEntries(
  Object.keys(FILE_PARAMETERS).map((name) => [name, fileParameter(name as keyof typeof FILE_PARAMETERS)]),
);

function inFileSpelling(parameters: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, schema]) => [
      name,
      oneInFileSpelling(name as keyof typeof DESCRIPTIONS, schema),
    ]),
  );
}

function oneInFileSpelling(name: keyof typeof DESCRIPTIONS, schema: z.ZodType): z.ZodType {
  const description = DESCRIPTIONS[name];
  if (name in FILE_PARAMETERS) return fileParameter(name as keyof typeof FILE_PARAMETERS);
  // A blank prompt is a mistake that would be paid for.
  if (name === 'prompt') {
    const text = schema.refine(isNotBlank, 'must not be empty');
    return z.union([text, WrittenText], { error: PROMPT_RULE }).meta({ description });
  }
  if (schema instanceof z.ZodDefault) {
    const inner = schema.unwrap() as z.ZodType;
    const usual = schema.def.defaultValue;
    if (name !== 'resolution') return inner.optional().meta({ description, default: usual });
    return resolutionInFile(choicesOf(inner))
      .optional()
      .meta({ description, default: String(usual).toLowerCase() });
  }
  return schema.meta({ description });
}

/**
 * Resolutions as files spell them: the same for all models, in lower or upper case. A request has its model's own
 * spelling.
 */
function resolutionInFile(choices: readonly string[]): z.ZodType<string> {
  const names = [...new Set(choices.map((choice) => choice.toLowerCase()))];
  const rule = `must be ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)}`;
  const inAnyCase = names.map((name) => name.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`));
  return z.union([z.enum(names), z.string().regex(new RegExp(`^(?:${inAnyCase.join('|')})$`), rule)], { error: rule });
}

/** The choices of an enum with or without a default; empty for other schemas. */
function choicesOf(schema: unknown): readonly string[] {
  const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return inner instanceof z.ZodEnum ? inner.options.map(String) : [];
}

function fileParameter(name: keyof typeof FILE_PARAMETERS): z.ZodType {
  const one = FILE_PARAMETERS[name].list ? z.array(FileValue) : FileValue;
  return one.optional().meta({ description: DESCRIPTIONS[name] });
}

function isNotBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() !== '';
}
