import { createHash } from 'node:crypto';
import { type SandboxTask } from '../../../dist/sandbox';

/**
 * How long tasks take at the gateway: as long as rendering does, the same for all, or lognormal by model, as video models
 * show it.
 */
export type TaskSeconds = 'fast' | number | Readonly<Record<string, Lognormal>>;

/** By its median and its 95th percentile, in seconds. */
export interface Lognormal {
  readonly median: number;
  readonly p95: number;
}

/** Standard deviations from the median to the 95th percentile. */
const Z95 = 1.6448536;

/** The same for the same model and prompt, whoever asks. */
export function drawSeconds(
  times: Exclude<TaskSeconds, 'fast'>,
  { model, parameters }: Pick<SandboxTask, 'model' | 'parameters'>,
): number {
  if (typeof times === 'number') return times;
  const time = times[model];
  if (time === undefined) throw new Error(`no times are given for ${model}`);
  return time.median * Math.exp(sigma(time) * normal(`${model} ${String(parameters['prompt'])}`));
}

export function sigma({ median, p95 }: Lognormal): number {
  return Math.log(p95 / median) / Z95;
}

/** A draw from the standard normal distribution that goes by a text (Box and Muller 1958). */
function normal(text: string): number {
  const hash = createHash('sha256').update(text).digest();
  const [first, second] = [hash.readUInt32BE(0), hash.readUInt32BE(4)].map((word) => (word + 0.5) / 2 ** 32);
  return Math.sqrt(-2 * Math.log(first ?? NaN)) * Math.cos(2 * Math.PI * (second ?? NaN));
}
