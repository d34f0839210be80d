import { type TaskKind } from '../contracts/price-estimate';
import { askedParameters, hashOf } from './take-key';

/** What the price of a task depends on. */
export interface PricedTask {
  readonly kind: TaskKind;
  /** Requested seconds of clip, or 1 task. */
  readonly units: number;
}

/** The key of a kind in record names. */
export function kindKey({ model, resolution, unit }: TaskKind): string {
  return hashOf([model, resolution, unit]).slice(0, 16);
}

/**
 * The kind of a task and the requested units, with the model's defaults filled in.
 *
 * If a task asks for no length, or lets the model choose it (-1), its unit is the task, because its length is not known
 * in advance.
 */
export function pricedTask(modelId: string, parameters: Readonly<Record<string, unknown>>): PricedTask {
  const { resolution, duration } = askedParameters(modelId, parameters);
  const isTimed = typeof duration === 'number' && duration > 0;
  return {
    kind: {
      model: modelId,
      resolution: typeof resolution === 'string' ? resolution.toLowerCase() : null,
      unit: isTimed ? 'second' : 'task',
    },
    units: isTimed ? duration : 1,
  };
}
