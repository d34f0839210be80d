import { z } from 'zod';

/** A file on the wire: an http(s) address or a data URI. Source: gateway specification, "Format of a file value: not shown". */
const FileValue = z.string().min(1);

/** Longest reference video or audio that beta-video takes, in seconds. Source: gateway specification, "Limits". */
export const BETA_REFERENCE_MAX_SECONDS = 30;

/** The 13 parameters of alpha-video. Source: gateway specification, "Parameters of alpha-video". */
export const AlphaVideoParameters = z.strictObject({
  prompt: z.string().max(5000).optional(),
  /** Seconds. What −1 means is not specified; it is passed on. */
  duration: z.literal([-1, 5, 10, 15, 30]).default(5),
  resolution: z.enum(['480P', '720P', '1080P']).default('1080P'),
  aspectRatio: z.enum(['16:9', '9:16', '1:1', '4:3', '3:4', 'adaptive']).default('adaptive'),
  generateAudio: z.boolean().default(true),
  startFrame: FileValue.optional(),
  endFrame: FileValue.optional(),
  imageUrls: z.array(FileValue).optional(),
  videoUrls: z.array(FileValue).optional(),
  audioUrls: z.array(FileValue).optional(),
  enableThinking: z.boolean().default(false),
  watermark: z.boolean().default(false),
  seed: z.int().min(0).max(2147483647).optional(),
});
export type AlphaVideoParameters = z.infer<typeof AlphaVideoParameters>;

/** The 13 parameters of beta-video. Source: gateway specification, "Parameters of beta-video". */
export const BetaVideoParameters = z.strictObject({
  prompt: z.string(),
  aspectRatio: z.enum(['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', 'adaptive']).default('16:9'),
  resolution: z.enum(['480p', '720p', '1080p']).default('1080p'),
  /** Whole seconds. */
  duration: z.int().min(4).max(30).default(5),
  generateAudio: z.boolean().default(true),
  returnLastFrame: z.boolean().default(false),
  outputFormat: z.enum(['mp4', 'mov']).default('mp4'),
  colorDepth: z.enum(['10bit', '8bit']).default('10bit'),
  imageUrls: z.array(FileValue).optional(),
  /** Each at most 30 s. */
  videoUrls: z.array(FileValue).optional(),
  /** Each at most 30 s. */
  audioUrls: z.array(FileValue).optional(),
  startFrame: FileValue.optional(),
  endFrame: FileValue.optional(),
});
export type BetaVideoParameters = z.infer<typeof BetaVideoParameters>;

/** What kind of medium a file parameter takes. */
export type FileKind = 'image' | 'video' | 'audio';

/** The parameters that take a file, the same five for both models; the `…Urls` ones take a list. */
export const FILE_PARAMETERS = {
  startFrame: { kind: 'image', list: false },
  endFrame: { kind: 'image', list: false },
  imageUrls: { kind: 'image', list: true },
  videoUrls: { kind: 'video', list: true },
  audioUrls: { kind: 'audio', list: true },
} as const satisfies Record<string, { kind: FileKind; list: boolean }>;

/** What a task of a model leaves: a file of that kind, or text. */
export const OutputKind = z.enum(['video', 'image', 'audio', 'text']);
export type OutputKind = z.infer<typeof OutputKind>;

/** A model that Dailies knows whole. Any other model of the gateway passes through by its id. */
export interface KnownModel {
  readonly id: string;
  /** Name in the workflow-specific addresses; may hold slashes. */
  readonly workflow: string;
  readonly title: string;
  readonly output: OutputKind;
  readonly parameters: typeof AlphaVideoParameters | typeof BetaVideoParameters;
  /** Whether the gateway hands over the last frame when `returnLastFrame` is asked for. */
  readonly returnsLastFrame: boolean;
}

/** The models that Dailies knows whole, by id. Source: gateway specification, "Model ids and workflow names". */
export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    id: 'alpha-3.0-video',
    workflow: 'alpha/v3/video',
    title: 'alpha-video',
    output: 'video',
    parameters: AlphaVideoParameters,
    returnsLastFrame: false,
  },
  {
    id: 'beta-2.5',
    workflow: 'beta',
    title: 'beta-video',
    output: 'video',
    parameters: BetaVideoParameters,
    returnsLastFrame: true,
  },
];

/** Finds a known model by its id, its workflow name or its title; undefined for any other. */
export function knownModel(name: string): KnownModel | undefined {
  return KNOWN_MODELS.find((model) => [model.id, model.workflow, model.title].includes(name));
}
