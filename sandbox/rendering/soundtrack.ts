import { between, pick, seededRandom, type Random } from '../random';

/** The usual sample rate of AAC in video. */
const SAMPLE_RATE = 48_000;
const CHANNELS = 2;

/** Semitones above the root. */
type Chord = readonly number[];

/** Chords that suit any picture. */
const CHORDS: readonly [Chord, ...Chord[]] = [
  [0, 7, 12, 16, 19],
  [0, 7, 12, 15, 19],
  [0, 7, 14, 16, 21],
  [0, 5, 12, 17, 19],
  [0, 7, 10, 14, 17],
];

/** Gain of the voices, as a share of full scale. The gain is low, so that the pad stays in the background. */
const LEVEL = 0.16;

/** Duration of the fade at the start and at the end. */
const FADE_SECONDS = 0.8;

/** One period of a sine, read without interpolation. The error of one voice is below the resolution of 16 bits. */
const TABLE = 8192;
const SINE = Float32Array.from({ length: TABLE }, (_, index) => Math.sin((index / TABLE) * 2 * Math.PI));

/** One oscillator. Steps are table positions per sample. */
interface Voice {
  readonly step: number;
  readonly swellStep: number;
  readonly left: number;
  readonly right: number;
  phase: number;
  swell: number;
}

/** Composes a pad (a soft, sustained chord) as a WAV file. The same words and duration always give the same sound. */
export function composePad(words: readonly string[], durationSeconds: number): Buffer {
  const random = seededRandom('pad', ...words);
  const frames = Math.round(durationSeconds * SAMPLE_RATE);
  const voices = chordVoices(random);
  const breath = between(random, 0.006, 0.02);
  const samples = new Int16Array(frames * CHANNELS);
  let airLeft = 0;
  let airRight = 0;

  for (let frame = 0; frame < frames; frame += 1) {
    let left = 0;
    let right = 0;
    for (const voice of voices) {
      const tone = sine(voice.phase) * (0.62 + 0.38 * sine(voice.swell));
      voice.phase += voice.step;
      voice.swell += voice.swellStep;
      left += tone * voice.left;
      right += tone * voice.right;
    }
    // Air: noise through a low-pass filter.
    airLeft += (random() - 0.5 - airLeft) * breath;
    airRight += (random() - 0.5 - airRight) * breath;
    const seconds = frame / SAMPLE_RATE;
    const fade = Math.min(1, seconds / FADE_SECONDS, (durationSeconds - seconds) / FADE_SECONDS);
    samples[frame * CHANNELS] = 32_767 * fade * (LEVEL * left + airLeft);
    samples[frame * CHANNELS + 1] = 32_767 * fade * (LEVEL * right + airRight);
  }
  return Buffer.concat([wavHeader(samples.byteLength), Buffer.from(samples.buffer)]);
}

function sine(phase: number): number {
  return SINE[phase & (TABLE - 1)] ?? 0;
}

function chordVoices(random: Random): Voice[] {
  const root = 55 * 2 ** (Math.floor(between(random, 0, 12)) / 12);
  const notes = pick(random, ...CHORDS);
  return notes.flatMap((semitones, index) => {
    const frequency = root * 2 ** (semitones / 12);
    const side = between(random, 0.25, 0.75);
    const loudness = 1 / (notes.length + index);
    // Two slightly detuned voices beat slowly against each other.
    return [1, 1.003].map((detune) => ({
      step: (TABLE * frequency * detune) / SAMPLE_RATE,
      swellStep: (TABLE * between(random, 0.05, 0.22)) / SAMPLE_RATE,
      left: loudness * side,
      right: loudness * (1 - side),
      phase: random() * TABLE,
      swell: random() * TABLE,
    }));
  });
}

function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(44);
  const bytesPerFrame = CHANNELS * 2;
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(CHANNELS, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * bytesPerFrame, 28);
  header.writeUInt16LE(bytesPerFrame, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
