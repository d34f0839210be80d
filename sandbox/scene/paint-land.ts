import { between, type Random } from '../random';
import { blend, pack, type Canvas, type Painter } from './canvas';
import { mix } from './color';
import { landProfile } from './land-profile';
import type { Stage } from './stage';
import { windowPainter } from './paint-windows';
import type { Layer, LayerView } from './layer';

/** Number of layers of land. A sea scene has only two, which are coasts on its horizon. */
const LAYERS = 5;
const COASTS = 2;

/** Layers of land that pass at different speeds. Farther layers are hazier. */
export function landPainter(stage: Stage): Painter {
  const { width, panSpeed, rise, durationSeconds, random, mood } = stage;
  const travel = Math.ceil(Math.abs(panSpeed) * durationSeconds) + 2;
  const count = mood.place === 'sea' ? COASTS : LAYERS;
  const bottom = mood.place === 'sea' ? Math.ceil(stage.horizonY) + 1 : stage.height;
  const layers = Array.from({ length: count }, (_, index) => {
    const layer = createLayer(stage, random, (index + 1) / count, width + travel);
    return { layer, paintWindows: mood.place === 'city' ? windowPainter(stage, layer) : undefined };
  });

  return (canvas, timeSeconds) => {
    for (const { layer, paintWindows } of layers) {
      const passed = panSpeed * layer.nearness ** 1.5 * timeSeconds;
      const view = {
        left: panSpeed < 0 ? travel - 2 + passed : passed,
        sunk: (rise * layer.nearness * timeSeconds) / durationSeconds,
      };
      paintLayer(canvas, layer, view, bottom);
      paintWindows?.(canvas, view);
    }
  };
}

function paintLayer({ width, pixels }: Canvas, layer: Layer, { left, sunk }: LayerView, bottom: number): void {
  const { profile, footY, rows } = layer;
  const column = Math.floor(left);
  const fraction = left - column;
  for (let x = 0; x < width; x += 1) {
    const from = profile[column + x] ?? 0;
    const to = profile[column + x + 1] ?? from;
    const top = Math.max(0, footY - (from + (to - from) * fraction) + sunk);
    const first = Math.floor(top);
    if (first >= bottom) continue;
    const edge = first * width + x;
    pixels[edge] = blend(pixels[edge] ?? 0, rows[first] ?? 0, 256 * (1 - (top - first)));
    for (let y = first + 1; y < bottom; y += 1) pixels[y * width + x] = rows[y] ?? 0;
  }
}

function createLayer(stage: Stage, random: Random, nearness: number, length: number): Layer {
  const { height, horizonY, mood } = stage;
  const { palette, place, time } = mood;
  const footY = place === 'sea' ? horizonY : horizonY + (height - horizonY) * nearness * 0.72;
  const far = mix(palette.horizon, palette.sky, time === 'day' ? 0.4 : 0.62);
  const color = mix(far, palette.land, 0.16 + 0.84 * nearness ** (time === 'fog' ? 2.2 : 1.15));
  const mist = mix(color, palette.horizon, time === 'fog' ? 0.7 : 0.5 * (1.1 - nearness));
  const reach = height * between(random, 0.26, 0.34);
  return {
    nearness,
    footY,
    profile: landProfile(place, random, length, height, nearness),
    rows: Uint32Array.from({ length: height }, (_, y) => {
      const down = Math.min(1, Math.max(0, (y - (footY - reach * 0.6)) / reach));
      return pack(mix(color, mist, down ** 1.5));
    }),
  };
}
