import { z } from 'zod';

/**
 * A file value: an http(s) address or a data URI. The gateway specification does not show the format.
 */
const FileValue = z.string().min(1);

/** The 13 parameters of alpha-video. Source: gateway specification, "Parameters of alpha-video". */
export const AlphaVideoParameters = z.strictObject({
  prompt: z.string().max(5000).optional(),
  /** Seconds. The specification does not explain −1; the value is passed on unchanged. */
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

export type FileKind = 'image' | 'video' | 'audio';

/** The five file parameters, the same for all models that have them. Those named `…Urls` are lists. */
export const FILE_PARAMETERS = {
  startFrame: { kind: 'image', list: false },
  endFrame: { kind: 'image', list: false },
  imageUrls: { kind: 'image', list: true },
  videoUrls: { kind: 'video', list: true },
  audioUrls: { kind: 'audio', list: true },
} as const satisfies Record<string, { kind: FileKind; list: boolean }>;

export const OutputKind = z.enum(['video', 'image', 'audio', 'text']);
export type OutputKind = z.infer<typeof OutputKind>;

/**
 * A model whose parameters Dailies knows. A production may also use other models, by their ids.
 *
 * The checks of files, the editors' schema and `dailies models` are derived from the model's entry. A new model also
 * needs a description of each new parameter in `production-parameters.ts`, and an entry in `sandbox-models.ts`.
 */
export interface KnownModel {
  readonly id: string;
  /** Name in the workflow-specific addresses; may contain slashes. */
  readonly workflow: string;
  readonly title: string;
  readonly output: OutputKind;
  readonly parameters: z.ZodObject;
  /** Whether the gateway returns the last frame if `returnLastFrame` is set. */
  readonly returnsLastFrame: boolean;
  /** Longest reference video or audio, in seconds; null if no limit is known. */
  readonly referenceMaxSeconds: number | null;
}

export const ALPHA_VIDEO = {
  id: 'alpha-3.0-video',
  workflow: 'alpha/v3/video',
  title: 'alpha-video',
  output: 'video',
  parameters: AlphaVideoParameters,
  returnsLastFrame: false,
  referenceMaxSeconds: null,
} as const satisfies KnownModel;

export const BETA_VIDEO = {
  id: 'beta-2.5',
  workflow: 'beta',
  title: 'beta-video',
  output: 'video',
  parameters: BetaVideoParameters,
  returnsLastFrame: true,
  // Source: gateway specification, "Limits".
  referenceMaxSeconds: 30,
} as const satisfies KnownModel;

const MODELS = [ALPHA_VIDEO, BETA_VIDEO] as const;

/** The models whose parameters Dailies knows. Source: gateway specification, "Model ids and workflow names". */
export const KNOWN_MODELS: readonly KnownModel[] = MODELS;

type Model = (typeof MODELS)[number];

type ParametersOf<Each> = Each extends { readonly parameters: { readonly shape: infer Shape } } ? keyof Shape : never;

/** Name of a parameter of any known model. */
export type ParameterName = ParametersOf<Model>;

/** Finds a known model by its id, workflow name or title; undefined if there is none. */
export function knownModel(name: string): KnownModel | undefined {
  return KNOWN_MODELS.find((model) => [model.id, model.workflow, model.title].includes(name));
}
