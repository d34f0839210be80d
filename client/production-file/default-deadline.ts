import { z } from 'zod';
import { type FrozenModel } from '../../contracts/render/frozen';
import { knownModel } from '../../contracts/gateway/models';

/** Minimum deadline, in seconds. A task may wait longer in the gateway's queue than it takes to render. */
const MIN_DEADLINE_SECONDS = 15 * 60;

/** Seconds of deadline for each second of the clip. The slowest models need about half of this time. */
const DEADLINE_PER_CLIP_SECOND = 60;

/** Assumed length of a clip in seconds, if `duration` is -1 or unknown: the longest clip of alpha-video. */
const LONGEST_OWN_CHOICE_SECONDS = 30;

type Parameters = Readonly<Record<string, unknown>>;

/** Requested length of the clip in seconds; null if it is not known in advance. */
export function clipSeconds({ id }: FrozenModel, { duration }: Parameters): number | null {
  const schema: unknown = knownModel(id)?.parameters.shape['duration'];
  const seconds = duration ?? (schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined);
  return typeof seconds === 'number' && seconds > 0 ? seconds : null;
}

/** Default deadline of a shot, in seconds. */
export function defaultDeadline(model: FrozenModel, parameters: Parameters): number {
  const unknownSeconds = model.output === 'video' ? LONGEST_OWN_CHOICE_SECONDS : 0;
  const seconds = clipSeconds(model, parameters) ?? unknownSeconds;
  return Math.max(MIN_DEADLINE_SECONDS, Math.ceil(seconds * DEADLINE_PER_CLIP_SECOND));
}
