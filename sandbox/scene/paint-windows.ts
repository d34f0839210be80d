import { between, pick } from '../random';
import { blend, pack, type Canvas } from './canvas';
import { hex, mix } from './color';
import type { Layer, LayerView } from './layer';
import type { Stage } from './stage';

interface Window {
  readonly position: number;
  readonly above: number;
  readonly color: number;
}

/** Share of windows that are lit at each time of day. */
const LIT = { night: 0.34, dawn: 0.12, day: 0, dusk: 0.3, storm: 0.24, fog: 0.16 } as const;

const LAMPS = [hex('#ffd48a'), hex('#ffe9c2'), hex('#ffb763'), hex('#bfe0ff')] as const;

/** Makes a function that paints the lit windows of one layer of a city. */
export function windowPainter(stage: Stage, layer: Layer): (canvas: Canvas, view: LayerView) => void {
  const { height, mood, random } = stage;
  const size = Math.max(1.2, height * 0.0055 * (0.5 + layer.nearness));
  const windows: Window[] = [];
  for (let position = size; position < layer.profile.length - size; position += size * 2.6) {
    const left = layer.profile[Math.floor(position - size)] ?? 0;
    const right = layer.profile[Math.ceil(position + size * 2)] ?? 0;
    for (let above = Math.min(left, right) - size * 2.5; above > -height * 0.1; above -= size * 3.2) {
      if (random() > LIT[mood.time]) continue;
      const lamp = mix(pick(random, ...LAMPS), mood.palette.land, between(random, 0.05, 0.5));
      windows.push({ position, above, color: pack(mix(lamp, mood.palette.horizon, 0.5 * (1 - layer.nearness))) });
    }
  }
  return (canvas, { left, sunk }) => {
    for (const { position, above, color } of windows) {
      paintWindow(canvas, position - left, layer.footY - above + sunk, size, color);
    }
  };
}

/** A small upright box. Its sides are soft, so that it moves smoothly sideways. */
function paintWindow({ width, height, pixels }: Canvas, x: number, y: number, size: number, color: number): void {
  if (x < 0 || x + size >= width - 1) return;
  for (let row = Math.round(y); row < Math.min(height, y + size * 1.5); row += 1) {
    for (let column = Math.floor(x); column <= x + size; column += 1) {
      const cover = Math.min(1, column + 1 - x, x + size - column);
      if (cover > 0) pixels[row * width + column] = blend(pixels[row * width + column] ?? 0, color, 256 * cover);
    }
  }
}
