import { z } from 'zod';
import { AssetRef } from '../asset';
import { OutputKind } from '../gateway/models';

/**
 * A checked production, frozen into the store: defaults merged, spellings unified, local files turned into assets.
 *
 * Workflows carry a reference to the frozen production, and activities load it. It has everything that requests need,
 * except the API key and the outputs of linked shots.
 */

/** A frame, picture or text of another shot's take. Known once that take has ended. */
export const FrameLink = z.strictObject({
  kind: z.literal('link'),
  shot: z.string(),
  /** `whole`: the picture or text that the shot makes, not a frame of a clip. */
  frame: z.enum(['first', 'last', 'whole']),
  /** First shot of the chain, if the frame's color is corrected towards that shot's clip. */
  anchor: z.string().optional(),
});
export type FrameLink = z.infer<typeof FrameLink>;

export const FileSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('address'), url: z.string() }),
  /** `name` is the file's base name, for display only. */
  z.strictObject({ kind: z.literal('asset'), asset: AssetRef, name: z.string() }),
  FrameLink,
]);
export type FileSource = z.infer<typeof FileSource>;

/** A text parameter that another shot writes. Known once that shot's take has ended. */
export const TextSource = z.strictObject({
  shot: z.string(),
  /** Longest text that the parameter accepts, if known. */
  maxCharacters: z.int().positive().optional(),
});
export type TextSource = z.infer<typeof TextSource>;

export const FrozenModel = z.strictObject({
  id: z.string(),
  /** The model's name in the gateway's model-specific paths. Absent: the unified paths are used. */
  workflow: z.string().optional(),
  output: OutputKind,
});
export type FrozenModel = z.infer<typeof FrozenModel>;

export const FrozenTransition = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cut') }),
  z.strictObject({ kind: z.literal('crossfade'), seconds: z.number().positive() }),
]);
export type FrozenTransition = z.infer<typeof FrozenTransition>;

/** A text for the whole shot, or several with times in seconds from its start. */
export const FrozenCaption = z.union([
  z.string(),
  z.array(z.strictObject({ text: z.string(), from: z.number().min(0), to: z.number().positive() })),
]);
export type FrozenCaption = z.infer<typeof FrozenCaption>;

export const FrozenShot = z.strictObject({
  id: z.string(),
  model: FrozenModel,
  /** The request's parameters in the gateway's spelling, without file parameters. */
  parameters: z.record(z.string(), z.json()),
  /** File parameters by name; a list if the parameter accepts a list. */
  files: z.record(z.string(), z.union([FileSource, z.array(FileSource)])),
  /** Text parameters that other shots write, by name. Absent if there are none. */
  texts: z.record(z.string(), TextSource).optional(),
  caption: FrozenCaption.optional(),
  /** The shot is meant to look different from its chain's first shot. A change of this field needs no new take. */
  drift: z.literal('expected').exactOptional(),
  /** Transition from the clip before. Absent: the assembly's. */
  transition: FrozenTransition.exactOptional(),
  /** Part of the take key: a retake raises it, so that an equal request gets a new take. Absent for 0. */
  variant: z.int().positive().optional(),
});
export type FrozenShot = z.infer<typeof FrozenShot>;

/** Fields of a shot that are never sent, so changes cost nothing. Retakes and the fallback do not change them. */
export type UnsentFields = Pick<FrozenShot, 'caption' | 'drift' | 'transition'>;

export function unsentFields({ caption, drift, transition }: UnsentFields): UnsentFields {
  return {
    ...(caption === undefined ? {} : { caption }),
    ...(drift === undefined ? {} : { drift }),
    ...(transition === undefined ? {} : { transition }),
  };
}

export function withoutUnsentFields({
  caption: _caption,
  drift: _drift,
  transition: _transition,
  ...sent
}: FrozenShot): Omit<FrozenShot, keyof UnsentFields> {
  return sent;
}

/** A time in the film: seconds, or the start or end of a shot. */
export const FilmPoint = z.union([
  z.number().min(0),
  z.strictObject({ startOf: z.string() }),
  z.strictObject({ endOf: z.string() }),
]);
export type FilmPoint = z.infer<typeof FilmPoint>;

/** Music for a part of the film. Without `to` it plays once. */
export const FrozenCue = z.strictObject({
  asset: AssetRef,
  volumeDb: z.number(),
  from: FilmPoint,
  to: FilmPoint.exactOptional(),
  fadeInSeconds: z.number().min(0).exactOptional(),
  fadeOutSeconds: z.number().min(0).exactOptional(),
});
export type FrozenCue = z.infer<typeof FrozenCue>;

export const FrozenAssembly = z.strictObject({
  transition: FrozenTransition,
  /** One piece for the whole film, or several. `volumeDb` is relative to the file's own level; 0 changes nothing. */
  music: z.union([z.strictObject({ asset: AssetRef, volumeDb: z.number() }), z.array(FrozenCue)]).optional(),
  /** Shown over the beginning of the film for `seconds`. */
  title: z.strictObject({ text: z.string(), seconds: z.number().positive() }).optional(),
  /** Whether captions become a subtitle track. */
  subtitles: z.boolean(),
  /** Language of the subtitle track, by BCP 47. Absent: not specified. */
  subtitlesLanguage: z.string().exactOptional(),
  /** Captions are drawn into the picture. Absent: they are not. */
  captions: z.literal('burnt').exactOptional(),
});
export type FrozenAssembly = z.infer<typeof FrozenAssembly>;

export function musicAssets({ music }: Pick<FrozenAssembly, 'music'>): readonly AssetRef[] {
  return music === undefined ? [] : [music].flat().map(({ asset }) => asset);
}

/** File name, size and frame rate of the film. Absent values follow from the first clip. */
export const FrozenOutput = z.strictObject({
  /** File name of the film in the out folder. */
  file: z.string(),
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  frameRate: z.number().positive().optional(),
});
export type FrozenOutput = z.infer<typeof FrozenOutput>;

export const FrozenProduction = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  title: z.string(),
  shots: z.array(FrozenShot).min(1),
  /** Absent if nothing is assembled, as for a single generation. */
  assembly: FrozenAssembly.optional(),
  output: FrozenOutput.optional(),
});
export type FrozenProduction = z.infer<typeof FrozenProduction>;
