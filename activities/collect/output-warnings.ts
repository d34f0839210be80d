import { type AssetRef } from '../../contracts/asset';
import { type FrozenShot } from '../../contracts/render/frozen';

/** Differences up to this give no warning: clips have whole frames, and some containers round durations. */
const DURATION_TOLERANCE_SECONDS = 0.5;

/** Differences between a stored output and its request, in words for a person; empty if there are none. */
export function outputWarnings({ parameters }: FrozenShot, asset: AssetRef): string[] {
  return [durationWarning(parameters['duration'], asset), sizeWarning(parameters['resolution'], asset)].filter(
    (warning) => warning !== undefined,
  );
}

function durationWarning(asked: unknown, { durationSeconds }: AssetRef): string | undefined {
  if (typeof asked !== 'number' || asked <= 0 || durationSeconds === null) return undefined;
  if (Math.abs(durationSeconds - asked) <= DURATION_TOLERANCE_SECONDS) return undefined;
  return `asked for ${asked} s, got ${durationSeconds.toFixed(1)} s`;
}

/** `720p` means that the shorter side has 720 pixels. */
function sizeWarning(asked: unknown, { width, height }: AssetRef): string | undefined {
  if (typeof asked !== 'string' || width === null || height === null) return undefined;
  const lines = Number(/^(\d+)p$/i.exec(asked)?.[1]);
  if (Number.isNaN(lines) || Math.min(width, height) === lines) return undefined;
  return `asked for ${asked}, got ${width}x${height}`;
}
