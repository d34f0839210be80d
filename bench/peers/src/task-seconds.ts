import { createHash } from 'node:crypto';
import { type SandboxTask } from '../../../dist/sandbox';

/**
 * Durations of tasks at the gateway: as long as rendering takes (`fast`), the same for all tasks, uniform between two
 * times, or lognormal by model.
 */
export type TaskSeconds = 'fast' | number | Spread | Readonly<Record<string, Lognormal>>;

/** In seconds. */
export interface Spread {
  readonly from: number;
  readonly to: number;
}

/** Median and 95th percentile, in seconds. */
export interface Lognormal {
  readonly median: number;
  readonly p95: number;
}

/** Standard deviations from the median to the 95th percentile. */
const Z95 = 1.6448536;

/**
 * Draws a task's duration. The same model and prompt give the same duration for every contender.
 *
 * @throws Error if lognormal times lack the model.
 */
export function drawSeconds(
  times: Exclude<TaskSeconds, 'fast'>,
  { model, parameters }: Pick<SandboxTask, 'model' | 'parameters'>,
): number {
  if (typeof times === 'number') return times;
  const text = `${model} ${String(parameters['prompt'])}`;
  if (isSpread(times)) return times.from + (times.to - times.from) * even(text)[0];
  const time = times[model];
  if (time === undefined) throw new Error(`no times are given for ${model}`);
  return time.median * Math.exp(sigma(time) * normal(text));
}

function sigma({ median, p95 }: Lognormal): number {
  return Math.log(p95 / median) / Z95;
}

function isSpread(times: Spread | Readonly<Record<string, Lognormal>>): times is Spread {
  return typeof times['from'] === 'number';
}

/** A draw from the standard normal distribution, determined by a text (Box and Muller 1958). */
function normal(text: string): number {
  const [first, second] = even(text);
  return Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second);
}

/** Two draws between 0 and 1, determined by a text. */
function even(text: string): [number, number] {
  const hash = createHash('sha256').update(text).digest();
  const at = (offset: number): number => (hash.readUInt32BE(offset) + 0.5) / 2 ** 32;
  return [at(0), at(4)];
}
