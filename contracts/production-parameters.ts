import { z } from 'zod';
import { AlphaVideoParameters, BetaVideoParameters, FILE_PARAMETERS } from './models';

/** Model parameters as a production file spells them: one spelling for all models, and files as a person names them. */

/** What each parameter does, as editors show it. */
const DESCRIPTIONS: Readonly<Record<keyof AlphaVideoParameters | keyof BetaVideoParameters, string>> = {
  prompt: 'What is seen and heard. At most 5000 characters for alpha-video; beta-video needs one.',
  duration: 'Length of the clip in seconds. alpha-video: 5, 10, 15, 30 or -1; beta-video: 4 to 30.',
  resolution: 'Lines of the picture. The same spelling for every model.',
  aspectRatio: 'Proportions of the picture; adaptive follows the start frame. 21:9 is for beta-video only.',
  generateAudio: 'Whether the clip has sound of its own.',
  startFrame: 'Picture that the clip starts on: a path, an address, or a frame of another shot.',
  endFrame: 'Picture that the clip ends on: a path, an address, or a frame of another shot.',
  imageUrls: 'Reference pictures: paths, addresses, or frames of other shots.',
  videoUrls: 'Reference videos: paths or addresses. At most 30 s each for beta-video.',
  audioUrls: 'Reference sounds: paths or addresses. At most 30 s each for beta-video.',
  enableThinking: 'Lets the model plan before it renders (alpha-video).',
  watermark: 'Whether the clip carries a watermark (alpha-video).',
  seed: 'Makes a result repeatable; 0 to 2147483647 (alpha-video).',
  returnLastFrame: 'Asks the gateway for the last frame (beta-video). Links do that by themselves.',
  outputFormat: 'Container of the clip (beta-video).',
  colorDepth: 'Bits per colour channel (beta-video).',
};

/** A frame of another shot of the same production. */
export const FrameLinkValue = z
  .strictObject({
    lastFrameOf: z.string().min(1).optional().describe('Id of the shot whose last frame is used.'),
    firstFrameOf: z.string().min(1).optional().describe('Id of the shot whose first frame is used.'),
  })
  .refine(
    (link) => (link.lastFrameOf === undefined) !== (link.firstFrameOf === undefined),
    'must name one shot, either by lastFrameOf or by firstFrameOf',
  )
  .meta({ id: 'FrameLink', minProperties: 1, maxProperties: 1 });
export type FrameLinkValue = z.infer<typeof FrameLinkValue>;

/** Where a file comes from: a path relative to the production file, an http(s) address, or a frame of another shot. */
export const FileValue = z
  .union([z.string().min(1), FrameLinkValue], {
    error: 'must be a path, an http(s) address, { lastFrameOf: shot } or { firstFrameOf: shot }',
  })
  .meta({ id: 'FileValue' });
export type FileValue = z.infer<typeof FileValue>;

/** Marks a file among the parameters of a model whose file parameters Dailies does not know. */
export const MarkedFile = z.strictObject({
  file: z.string().min(1).describe('A path relative to this file, or an http(s) address.'),
});

const RESOLUTION_RULE = 'must be 480p, 720p or 1080p';

/** The common spelling. Upper case is read as well; each model is sent its own. */
export const Resolution = z.union(
  [z.enum(['480p', '720p', '1080p']), z.string().regex(/^(?:480|720|1080)[pP]$/, RESOLUTION_RULE)],
  {
    error: RESOLUTION_RULE,
  },
);

/** The shape of a known model's parameters, without the gateway's defaults: what is absent is not sent. */
export const ALPHA_PARAMETERS = inFileSpelling(AlphaVideoParameters.shape);
export const BETA_PARAMETERS = inFileSpelling(BetaVideoParameters.shape);

/** Every parameter of either model. Where both have it, beta-video takes all that alpha-video takes, but for one length. */
export const DEFAULT_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  ...ALPHA_PARAMETERS,
  ...BETA_PARAMETERS,
  prompt: z.string().optional().describe(DESCRIPTIONS.prompt),
  duration: z.int().min(4).max(30).or(z.literal(-1)).optional().describe(DESCRIPTIONS.duration),
};

/** File parameters of any model; the ones that both known models share. */
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
  if (name === 'resolution') return Resolution.optional().meta({ description, default: '1080p' });
  // A prompt of spaces is a slip that would be paid for.
  if (name === 'prompt') return schema.refine(isNoBlank, 'must not be empty').meta({ description });
  if (schema instanceof z.ZodDefault) {
    const inner = schema.unwrap() as z.ZodType;
    return inner.optional().meta({ description, default: schema.def.defaultValue });
  }
  return schema.meta({ description });
}

function fileParameter(name: keyof typeof FILE_PARAMETERS): z.ZodType {
  const one = FILE_PARAMETERS[name].list ? z.array(FileValue) : FileValue;
  return one.optional().meta({ description: DESCRIPTIONS[name] });
}

function isNoBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() !== '';
}
