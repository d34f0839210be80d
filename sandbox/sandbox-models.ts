import { z } from 'zod';
import {
  ALPHA_VIDEO,
  type AlphaVideoParameters,
  BETA_VIDEO,
  type BetaVideoParameters,
  FILE_PARAMETERS,
  type KnownModel,
  type OutputKind,
} from '../contracts/gateway/models';
import { sizeOf } from './rendering/clip-size';
import type { Price } from './price';
import type { GivenFile, ShortSide, Work } from './tasks/work';

/** Duration of a clip with `duration: -1`. The specification does not define it. */
const AUTO_DURATION_SECONDS = 6;

/** The two video models have different prices, so that a charge for the wrong model is noticed. */
const ALPHA_PRICE: Price = { perSecond: { 480: 4, 720: 8, 1080: 16 } };
const BETA_PRICE: Price = { perSecond: { 480: 5, 720: 10, 1080: 20 } };
const IMAGE_PRICE: Price = { perTask: 3 };
const TEXT_PRICE: Price = { perTask: 1 };

/** Short side of an image without a given size, in pixels. */
const IMAGE_SHORT_SIDE = 720;

const PixelImageParameters = z.strictObject({
  prompt: z.string().max(5000),
  aspectRatio: z.enum(['16:9', '9:16', '1:1', '4:3', '3:4', '21:9']).default('16:9'),
  /** In pixels. `width` and `height` each replace the side that follows from `aspectRatio`. */
  width: z.int().min(16).max(2048).optional(),
  height: z.int().min(16).max(2048).optional(),
});

const QuillTextParameters = z.strictObject({ prompt: z.string().max(5000) });

type FileParameter = keyof typeof FILE_PARAMETERS;
const fileParameters = Object.keys(FILE_PARAMETERS) as FileParameter[];

export interface SandboxModel {
  readonly id: string;
  readonly workflow: string;
  readonly title: string;
  readonly output: OutputKind;
  readonly parameters: z.ZodObject;
  /** @param parameters input or output of the schema `parameters`. @throws z.ZodError for any other value. */
  work(parameters: unknown): Work;
  /** Charged when the task is accepted, even if the task fails. */
  readonly price: Price;
}

export const SANDBOX_MODELS: readonly SandboxModel[] = [
  model({
    ...fromKnownModel(ALPHA_VIDEO),
    work: (given) => ({
      kind: 'video',
      prompt: given.prompt ?? '',
      durationSeconds: given.duration === -1 ? AUTO_DURATION_SECONDS : given.duration,
      shortSide: shortSideOf(given.resolution),
      aspectRatio: given.aspectRatio,
      sound: given.generateAudio,
      container: 'mp4',
      colorDepth: '8bit',
      watermark: given.watermark,
      returnLastFrame: false,
      files: givenFiles(given),
      seed: given.seed,
    }),
    price: ALPHA_PRICE,
  }),
  model({
    ...fromKnownModel(BETA_VIDEO),
    work: (given) => ({
      kind: 'video',
      prompt: given.prompt,
      durationSeconds: given.duration,
      shortSide: shortSideOf(given.resolution),
      aspectRatio: given.aspectRatio,
      sound: given.generateAudio,
      container: given.outputFormat,
      colorDepth: given.colorDepth,
      watermark: false,
      returnLastFrame: given.returnLastFrame,
      files: givenFiles(given, BETA_VIDEO.referenceMaxSeconds),
      seed: undefined,
    }),
    price: BETA_PRICE,
  }),
  model({
    id: 'pixel-image-1',
    workflow: 'pixel/v1/image',
    title: 'pixel-image',
    output: 'image',
    schema: PixelImageParameters,
    work: ({ prompt, aspectRatio, width, height }) => {
      const size = sizeOf(aspectRatio, IMAGE_SHORT_SIDE);
      return { kind: 'image', prompt, width: width ?? size.width, height: height ?? size.height };
    },
    price: IMAGE_PRICE,
  }),
  model({
    id: 'quill-text-1',
    workflow: 'quill/v1/text',
    title: 'quill-text',
    output: 'text',
    schema: QuillTextParameters,
    work: ({ prompt }) => ({ kind: 'text', prompt }),
    price: TEXT_PRICE,
  }),
];

interface ModelDefinition<Schema extends z.ZodObject> extends Pick<
  SandboxModel,
  'id' | 'workflow' | 'title' | 'output' | 'price'
> {
  readonly schema: Schema;
  readonly work: (parameters: z.infer<Schema>) => Work;
}

function fromKnownModel<Known extends KnownModel>({ id, workflow, title, output, parameters }: Known) {
  return { id, workflow, title, output, schema: parameters as Known['parameters'] };
}

function model<Schema extends z.ZodObject>(definition: ModelDefinition<Schema>): SandboxModel {
  const { schema, work, ...rest } = definition;
  return { ...rest, parameters: schema, work: (parameters) => work(schema.parse(parameters)) };
}

/** alpha writes `1080P`, beta `1080p`. */
function shortSideOf(resolution: AlphaVideoParameters['resolution'] | BetaVideoParameters['resolution']): ShortSide {
  switch (resolution) {
    case '480P':
    case '480p':
      return 480;
    case '720P':
    case '720p':
      return 720;
    case '1080P':
    case '1080p':
      return 1080;
  }
}

function givenFiles(
  given: Partial<Record<FileParameter, string | string[] | undefined>>,
  referenceMaxSeconds?: number,
): GivenFile[] {
  return fileParameters.flatMap((name) => {
    const { kind, list } = FILE_PARAMETERS[name];
    const maxSeconds = kind === 'image' ? undefined : referenceMaxSeconds;
    return [given[name] ?? []]
      .flat()
      .map((value, index) => ({ parameter: list ? `${name}.${index}` : name, kind, value, maxSeconds }));
  });
}
