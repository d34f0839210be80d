import { pack, type Painter } from './canvas';
import { mix } from './color';
import type { Stage } from './stage';

/** Number of brightness levels in a row of water. */
const LEVELS = 64;

/** Number of entries of `WAVE`. It is a power of two, so that a mask wraps the phase. */
const TABLE = 1024;
const WAVE = Float32Array.from({ length: TABLE }, (_, index) => Math.sin((index / TABLE) * 2 * Math.PI));

/** Water below the horizon. It mirrors the sky, its waves grow towards the camera, and it glitters below the light. */
export function waterPainter(stage: Stage): Painter {
  const { width, height, mood, random } = stage;
  if (mood.place !== 'sea') return () => undefined;
  const top = Math.ceil(stage.horizonY);
  const colors = rowColors(stage, top);
  const glitter = glitterPath(stage, top);

  // `ripple` and `cross` of neighbouring rows are independent, which makes the light on the water sparkle.
  const phases = Float32Array.from({ length: (height - top) * 2 }, () => random() * TABLE);

  return ({ pixels }, timeSeconds) => {
    const drift = timeSeconds * TABLE * 0.16;
    for (let y = top; y < height; y += 1) {
      const depth = (y - top + 2) / (height - top);
      const step = TABLE / (width * (0.018 + 0.2 * depth));
      // Wave fronts that roll towards the camera; farther fronts are closer together.
      let swell = (TABLE * 2.4) / (depth + 0.08) + drift * 1.6;
      let ripple = (phases[(y - top) * 2] ?? 0) - drift * 2.1;
      let cross = (phases[(y - top) * 2 + 1] ?? 0) + drift * 1.3;
      const row = (y - top) * width;
      for (let x = 0; x < width; x += 1) {
        swell += step * 0.09;
        ripple += step * 1.37;
        cross -= step * 0.81;
        const wave = waveAt(swell) * 0.9 + waveAt(ripple) * 0.6 + waveAt(cross) * 0.6;
        const shine = glitter[row + x] ?? 0;
        // Crests catch most of the light, so the glitter breaks into streaks.
        const level = 22 + wave * 6.5 + (wave > 0.35 ? shine * (wave - 0.2) : shine * 0.12);
        pixels[y * width + x] = colors[(y - top) * LEVELS + Math.min(LEVELS - 1, Math.max(0, level | 0))] ?? 0;
      }
    }
  };
}

function waveAt(phase: number): number {
  return WAVE[phase & (TABLE - 1)] ?? 0;
}

function rowColors({ height, mood }: Stage, top: number): Uint32Array {
  const { palette } = mood;
  const colors = new Uint32Array((height - top) * LEVELS);
  for (let y = top; y < height; y += 1) {
    const depth = (y - top) / (height - top);
    const mirrored = mix(
      mix(palette.horizon, palette.sky, Math.min(1, depth * 1.8)),
      palette.water,
      0.25 + 0.6 * depth ** 0.6,
    );
    const trough = mix(mirrored, palette.water, 0.35 + 0.3 * depth);
    const crest = mix(mirrored, palette.horizon, 0.3);
    for (let level = 0; level < LEVELS; level += 1) {
      const share = level / (LEVELS - 1);
      const color = share < 0.6 ? mix(trough, crest, share / 0.6) : mix(crest, palette.light, (share - 0.6) / 0.4);
      colors[(y - top) * LEVELS + level] = pack(color);
    }
  }
  return colors;
}

/** The light that each point of the water can catch: a path that widens towards the camera. */
function glitterPath({ width, height, light, mood }: Stage, top: number): Float32Array {
  const strength = { night: 34, dawn: 40, day: 24, dusk: 42, storm: 8, fog: 10 }[mood.time];
  const path = new Float32Array((height - top) * width);
  for (let y = top; y < height; y += 1) {
    const depth = (y - top) / (height - top);
    const reach = width * (0.035 + 0.13 * depth);
    for (let x = 0; x < width; x += 1) {
      path[(y - top) * width + x] = strength * (1 - 0.45 * depth) * Math.exp(-(((x - light.x) / reach) ** 2));
    }
  }
  return path;
}
