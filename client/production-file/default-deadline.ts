import { type FrozenModel } from '../../contracts/frozen';
import { knownModel } from '../../contracts/models';

/** A shot gets at least this long, in seconds: queues at gateways are longer than renders. */
const MIN_DEADLINE_SECONDS = 15 * 60;

/** Seconds of waiting for each second of clip; the slowest models take about half of it. */
const DEADLINE_PER_CLIP_SECOND = 60;

/** Length that is waited for where a model chooses its own (-1), in seconds: alpha-video's longest. */
const LONGEST_OWN_CHOICE_SECONDS = 30;

type Parameters = Readonly<Record<string, unknown>>;

/** Length in seconds of the clip that is asked for; null if only the clip will tell. */
export function clipSeconds({ id }: FrozenModel, { duration }: Parameters): number | null {
  const seconds = duration ?? knownModel(id)?.parameters.shape.duration.def.defaultValue;
  return typeof seconds === 'number' && seconds > 0 ? seconds : null;
}

/** How long a shot may take where its file does not say, in seconds. */
export function defaultDeadline(model: FrozenModel, parameters: Parameters): number {
  const unknownSeconds = model.output === 'video' ? LONGEST_OWN_CHOICE_SECONDS : 0;
  const seconds = clipSeconds(model, parameters) ?? unknownSeconds;
  return Math.max(MIN_DEADLINE_SECONDS, Math.ceil(seconds * DEADLINE_PER_CLIP_SECOND));
}
