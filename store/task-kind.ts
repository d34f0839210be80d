import { type TaskKind } from '../contracts/price-estimate';
import { askedParameters, hashOf } from './take-key';

/** A task as far as its price goes. */
export interface PricedTask {
  readonly kind: TaskKind;
  /** Seconds of clip that are asked for, or 1 task. */
  readonly units: number;
}

/** Names a kind in a record's key. */
export function kindKey({ model, resolution, unit }: TaskKind): string {
  return hashOf([model, resolution, unit]).slice(0, 16);
}

/**
 * The kind of a task and how much of it is asked for, with the model's defaults filled in.
 *
 * A task that asks for no length, or lets the model choose it (-1), is paid for as a whole: nobody knows its length
 * before.
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
