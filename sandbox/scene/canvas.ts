import type { Color } from './color';

/** Pixels in rows from the top left. Each pixel is packed as ffmpeg's `rgb0` on a little-endian machine. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint32Array;
}

/** Paints one element of the picture at a given time. */
export type Painter = (canvas: Canvas, timeSeconds: number) => void;

export function pack(color: Color): number {
  return (color[0] & 255) | ((color[1] & 255) << 8) | ((color[2] & 255) << 16);
}

/** Blends a packed color over another. `cover` ranges from 0 (only `under`) to 256 (only `over`). */
export function blend(under: number, over: number, cover: number): number {
  // Red and blue are computed together, so a fractional `cover` would spill blue into red.
  const share = cover | 0;
  const redBlue = under & 0xff00ff;
  const green = under & 0x00ff00;
  return (
    ((redBlue + ((((over & 0xff00ff) - redBlue) * share) >> 8)) & 0xff00ff) |
    ((green + ((((over & 0x00ff00) - green) * share) >> 8)) & 0x00ff00)
  );
}

/** Adds light of a packed color. `strength` ranges from 0 to 256. */
export function lighten(under: number, light: number, strength: number): number {
  const red = (under & 255) + (((light & 255) * strength) >> 8);
  const green = ((under >> 8) & 255) + ((((light >> 8) & 255) * strength) >> 8);
  const blue = ((under >> 16) & 255) + ((((light >> 16) & 255) * strength) >> 8);
  return Math.min(red, 255) | (Math.min(green, 255) << 8) | (Math.min(blue, 255) << 16);
}

/** Adds a round light with a soft edge. */
export function glowSpot(canvas: Canvas, x: number, y: number, radius: number, light: number, strength: number): void {
  const { width, height, pixels } = canvas;
  const bottom = Math.min(height - 1, Math.ceil(y + radius));
  const right = Math.min(width - 1, Math.ceil(x + radius));
  for (let row = Math.max(0, Math.floor(y - radius)); row <= bottom; row += 1) {
    for (let column = Math.max(0, Math.floor(x - radius)); column <= right; column += 1) {
      const share = ((column - x) ** 2 + (row - y) ** 2) / (radius * radius);
      if (share >= 1) continue;
      const index = row * width + column;
      pixels[index] = lighten(pixels[index] ?? 0, light, strength * (1 - share) ** 2);
    }
  }
}

/** Paints a part of a row, with soft ends. */
export function span(canvas: Canvas, y: number, from: number, to: number, color: number): void {
  const { width, height, pixels } = canvas;
  if (y < 0 || y >= height) return;
  for (let x = Math.max(0, Math.floor(from)); x <= Math.min(width - 1, Math.ceil(to)); x += 1) {
    const cover = Math.min(1, x - from + 1, to - x + 1);
    if (cover > 0) pixels[y * width + x] = blend(pixels[y * width + x] ?? 0, color, 256 * cover);
  }
}
