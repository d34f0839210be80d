import { z } from 'zod';
import { languageCode } from './languages';

/** How the shots become one film, as written in the production file. */

/** A shorter crossfade is a few frames long and looks like a fault. */
const MIN_CROSSFADE_SECONDS = 0.1;

/** A shorter title cannot be read. */
const MIN_TITLE_SECONDS = 0.5;

/** Bounds of the change in the music's volume, in decibels. Quieter music is inaudible, louder music is distorted. */
const MUSIC_VOLUME_DB = { min: -60, max: 12 };

export const TransitionInFile = z.union(
  [
    z.enum(['cut', 'crossfade']),
    z.strictObject({ crossfade: z.number().min(MIN_CROSSFADE_SECONDS).describe('Seconds.') }),
  ],
  { error: 'must be cut, crossfade or { crossfade: seconds }' },
);
export type TransitionInFile = z.infer<typeof TransitionInFile>;

export const CaptionInFile = z.union(
  [
    z.string().min(1),
    z
      .array(
        z.strictObject({
          text: z.string().min(1).describe('The words.'),
          from: z.number().min(0).describe('Start, in seconds from the start of the shot.'),
          to: z.number().min(0).describe('End, in seconds from the start of the shot.'),
        }),
      )
      .min(1),
  ],
  { error: 'must be text, or a list of { text, from, to }' },
);
export type CaptionInFile = z.infer<typeof CaptionInFile>;

const Volume = z
  .number()
  .min(MUSIC_VOLUME_DB.min)
  .max(MUSIC_VOLUME_DB.max)
  .optional()
  .describe("Change of the file's volume in decibels; 0 leaves it as it is. Default: -12.");

/** A time in the film. */
const FilmPointInFile = z.union(
  [
    z.number().min(0),
    z.strictObject({ startOf: z.string().min(1).describe('The shot.') }),
    z.strictObject({ endOf: z.string().min(1).describe('The shot.') }),
  ],
  { error: 'must be seconds of the film, { startOf: shot } or { endOf: shot }' },
);
export type FilmPointInFile = z.infer<typeof FilmPointInFile>;

const Fade = z.number().min(0).optional();

export const CueInFile = z.strictObject({
  file: z.string().min(1).describe('Path of the music.'),
  from: FilmPointInFile.describe('When the piece starts in the film.'),
  to: FilmPointInFile.optional().describe(
    'When the piece ends in the film; it repeats until then. Default: it plays once.',
  ),
  volumeDb: Volume,
  fadeIn: Fade.describe('Fade-in, in seconds. Default: 0.'),
  fadeOut: Fade.describe(
    'Fade-out, in seconds. Default: 2 (at most half the piece) if the piece has `to` or is longer than the rest of the film; otherwise 0.',
  ),
});
export type CueInFile = z.infer<typeof CueInFile>;

export const Assembly = z.strictObject({
  transition: TransitionInFile.optional().meta({ description: 'How one shot follows another.', default: 'cut' }),
  music: z
    .union(
      [
        z.string().min(1),
        z.strictObject({
          file: z.string().min(1).describe('Path of the music.'),
          volumeDb: Volume,
        }),
        z.array(CueInFile).min(1),
      ],
      { error: 'must be a path, { file, volumeDb } or a list of { file, from, to, volumeDb, fadeIn, fadeOut }' },
    )
    .optional()
    .describe(
      'Music, mixed with the sound of the shots: one piece for the whole film, or a list of pieces with their times.',
    ),
  title: z
    .union(
      [
        z.string().min(1),
        z.boolean(),
        z.strictObject({
          text: z.string().min(1).describe('The words.'),
          seconds: z
            .number()
            .min(MIN_TITLE_SECONDS)
            .optional()
            .describe('How long it is shown, in seconds. Default: 3.'),
        }),
      ],
      { error: 'must be text, true, false or { text, seconds }' },
    )
    .optional()
    .describe("Title over the start of the film; true shows the production's title."),
  subtitles: z
    .union(
      [
        z.boolean(),
        z.strictObject({
          language: z
            .string()
            .refine(
              (tag) => languageCode(tag) !== undefined,
              'must be a BCP 47 language tag with an ISO 639 code, such as en, pt-BR or deu',
            )
            .describe('Language of the track: a BCP 47 tag, such as en or pt-BR.'),
        }),
      ],
      { error: 'must be true, false or { language }' },
    )
    .optional()
    .describe(
      'Whether captions become a subtitle track, and in which language. Default: yes if there are captions that are not burnt in.',
    ),
  captions: z.enum(['track', 'burnt']).optional().meta({
    description: 'Whether captions are a subtitle track or are drawn into the picture.',
    default: 'track',
  }),
});
export type Assembly = z.infer<typeof Assembly>;
