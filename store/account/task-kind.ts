import { type TaskKind } from '../../contracts/money/price-estimate';
import { askedParameters, hashOf } from '../ledger/take-key';

/** A task's kind and number of units. The task's price depends on both. */
export interface PricedTask {
  readonly kind: TaskKind;
  /** The requested seconds of the clip, or 1 if the unit is the task. */
  readonly units: number;
}

/** The key of a kind in record names. */
export function kindKey({ model, resolution, unit }: TaskKind): string {
  return hashOf([model, resolution, unit]).slice(0, 16);
}

/**
 * The kind of a task and the requested units, with the model's defaults filled in.
 *
 * The unit is the task if the clip's length is not known in advance: no length is requested, or the model chooses it
 * (-1).
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
