import { z } from 'zod';
import { AssetRef } from './asset';
import { OutputKind } from './models';

/**
 * A production as it was checked and frozen into the store: defaults merged, spellings bridged, local files turned
 * into assets. Workflows carry a reference to it; activities load it. It holds all that a request needs, but no key.
 */

/** What a shot uses of another shot's take, known once that take has ended. */
export const FrameLink = z.strictObject({
  kind: z.literal('link'),
  shot: z.string(),
  /** `whole`: not a frame of a clip, but the picture or the text itself that the shot makes. */
  frame: z.enum(['first', 'last', 'whole']),
  /** First shot of the chain, where the frame's colour is corrected towards that shot's clip. */
  anchor: z.string().optional(),
});
export type FrameLink = z.infer<typeof FrameLink>;

/** Where the bytes of a file parameter come from. */
export const FileSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('address'), url: z.string() }),
  /** `name` is the file's base name, for display only. */
  z.strictObject({ kind: z.literal('asset'), asset: AssetRef, name: z.string() }),
  FrameLink,
]);
export type FileSource = z.infer<typeof FileSource>;

/** A text parameter that another shot writes, known once that shot's take has ended. */
export const TextSource = z.strictObject({
  shot: z.string(),
  /** Most that the parameter takes, where that is known. */
  maxCharacters: z.int().positive().optional(),
});
export type TextSource = z.infer<typeof TextSource>;

export const FrozenModel = z.strictObject({
  id: z.string(),
  /** Present where the model is to be called at its own addresses rather than the unified ones. */
  workflow: z.string().optional(),
  output: OutputKind,
});
export type FrozenModel = z.infer<typeof FrozenModel>;

/** How one clip follows another in the film. */
export const FrozenTransition = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cut') }),
  z.strictObject({ kind: z.literal('crossfade'), seconds: z.number().positive() }),
]);
export type FrozenTransition = z.infer<typeof FrozenTransition>;

/** A text that stands as long as its shot, or several with their times in it, in seconds. */
export const FrozenCaption = z.union([
  z.string(),
  z.array(z.strictObject({ text: z.string(), from: z.number().min(0), to: z.number().positive() })),
]);
export type FrozenCaption = z.infer<typeof FrozenCaption>;

export const FrozenShot = z.strictObject({
  id: z.string(),
  model: FrozenModel,
  /** What was asked for, in the gateway's own spelling, without the file parameters. */
  parameters: z.record(z.string(), z.json()),
  /** File parameters by name; a list where the parameter takes one. */
  files: z.record(z.string(), z.union([FileSource, z.array(FileSource)])),
  /** Text parameters that other shots write, by name. Absent where there are none. */
  texts: z.record(z.string(), TextSource).optional(),
  caption: FrozenCaption.optional(),
  /** It is meant to look otherwise than the first of its chain. Nobody pays by it. */
  drift: z.literal('expected').exactOptional(),
  /** How the film goes from the clip before into this one. Absent: as the assembly has it. */
  transition: FrozenTransition.exactOptional(),
  /** Which of equal asks its first take is; absent for 0. Raised by a retake. */
  variant: z.int().positive().optional(),
});
export type FrozenShot = z.infer<typeof FrozenShot>;

/** What is said of a shot and never sent: it costs nothing to change, and is always as the file has it. */
export type UnsentFields = Pick<FrozenShot, 'caption' | 'drift' | 'transition'>;

/** Of a shot the fields that are never sent, as far as it has them. */
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

/** A place in the film: seconds, or where a shot begins or ends. */
export const FilmPoint = z.union([
  z.number().min(0),
  z.strictObject({ startOf: z.string() }),
  z.strictObject({ endOf: z.string() }),
]);
export type FilmPoint = z.infer<typeof FilmPoint>;

/** Music in a place of its own. Without `to` it plays once. */
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
  /** One piece for the whole film, or several. `volumeDb` is relative to the file's own level; 0 leaves it as it is. */
  music: z.union([z.strictObject({ asset: AssetRef, volumeDb: z.number() }), z.array(FrozenCue)]).optional(),
  /** Shown over the beginning of the film for `seconds`. */
  title: z.strictObject({ text: z.string(), seconds: z.number().positive() }).optional(),
  /** Whether captions become a subtitle track. */
  subtitles: z.boolean(),
  /** Of the subtitle track, by BCP 47. Absent: it says none. */
  subtitlesLanguage: z.string().exactOptional(),
  /** Captions are drawn into the picture. Absent: they are not. */
  captions: z.literal('burnt').exactOptional(),
});
export type FrozenAssembly = z.infer<typeof FrozenAssembly>;

/** The files of all music, each as often as it is named. */
export function musicAssets({ music }: Pick<FrozenAssembly, 'music'>): readonly AssetRef[] {
  return music === undefined ? [] : [music].flat().map(({ asset }) => asset);
}

/** Frame of the film; what is absent is taken from the first clip. */
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
  /** Absent where there is nothing to assemble, as for a single generation. */
  assembly: FrozenAssembly.optional(),
  output: FrozenOutput.optional(),
});
export type FrozenProduction = z.infer<typeof FrozenProduction>;
