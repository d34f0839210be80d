/** Red, green and blue, each from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

/** Parses `#rrggbb`. */
export function hex(text: string): Color {
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The color between two others; `share` ranges from 0 (`from`) to 1 (`to`). */
export function mix(from: Color, to: Color, share: number): Color {
  return [
    from[0] + (to[0] - from[0]) * share,
    from[1] + (to[1] - from[1]) * share,
    from[2] + (to[2] - from[2]) * share,
  ];
}

/** Rotates a color around the grey axis (Rodrigues' rotation): the hue changes, the lightness stays about the same. */
export function turnHue([red, green, blue]: Color, degrees: number): Color {
  const angle = (degrees * Math.PI) / 180;
  const cos = Math.cos(angle);
  const side = Math.sin(angle) / Math.sqrt(3);
  const grey = ((1 - cos) * (red + green + blue)) / 3;
  return [
    clamp(red * cos + grey + side * (blue - green)),
    clamp(green * cos + grey + side * (red - blue)),
    clamp(blue * cos + grey + side * (green - red)),
  ];
}

function clamp(value: number): number {
  return Math.min(255, Math.max(0, value));
}
