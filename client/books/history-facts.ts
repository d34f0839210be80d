import { z } from 'zod';
import { type TakeOutput } from '../../contracts/activities';
import { Sha256, AssetRef, TakeFrame } from '../../contracts/asset';
import { recordedCharge } from '../../contracts/money/credits';
import { type WorkflowTask } from '../../store';

/**
 * Facts about gateway tasks, read from workflow histories in the JSON form of their protobuf messages.
 */

export interface HistoryEnd {
  readonly state: 'completed' | 'failed';
  /** Null if the charge is not known. */
  readonly credits: number | null;
  /** The reason of the failure; null for a completed task, or if the history has no reason. */
  readonly reason: string | null;
}

/** What one activity in a history says about a task. */
export interface TaskFact {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly taskId: string;
  /** Undefined if the activity does not show the end. */
  readonly end: HistoryEnd | undefined;
  /** Undefined if the activity does not show the output. */
  readonly output: TakeOutput | undefined;
  /** The data for rebuilding the task's ledger records; undefined if the activity does not show them. */
  readonly paid: WorkflowTask | undefined;
}

/** A task and its take. */
const Paid = z.object({
  take: z.object({
    productionId: z.string(),
    shotId: z.string(),
    take: z.int().positive(),
    takeKey: Sha256,
    model: z.object({ id: z.string(), workflow: z.string().exactOptional() }),
  }),
  taskId: z.string(),
  acceptedAt: z.string(),
});
/** The request that led to the task. */
const Asked = z.object({
  production: AssetRef,
  renderId: z.string(),
  attempt: z.int().positive(),
  sibling: z.int().nonnegative(),
  links: z.array(z.object({ shot: z.string(), frame: z.enum(['first', 'last', 'whole']), takeKey: Sha256 })),
});

const Payloads = z.looseObject({ payloads: z.array(z.looseObject({ data: z.string().optional() })).optional() });

/** Only activity events are read. */
const History = z.looseObject({
  events: z.array(
    z.looseObject({
      eventId: z.string(),
      activityTaskScheduledEventAttributes: z
        .looseObject({ activityType: z.looseObject({ name: z.string() }), input: Payloads.optional() })
        .optional(),
      activityTaskCompletedEventAttributes: z
        .looseObject({ scheduledEventId: z.string(), result: Payloads.optional() })
        .optional(),
    }),
  ),
});

/** The take in an activity's input or result. */
const Take = z.looseObject({ productionId: z.string(), shotId: z.string(), take: z.int() });
const TaskRef = z.looseObject({ take: Take, taskId: z.string() });
const Submitted = TaskRef.extend({ state: z.string(), output: z.unknown().optional() });
const Ended = z
  .looseObject({
    state: z.enum(['completed', 'failed']),
    credits: z.number().nullable().transform(recordedCharge),
    reason: z.string().nullable().default(null),
  })
  .transform(({ state, credits, reason }): HistoryEnd => ({ state, credits, reason }));
const StoredOutput = z.object({
  asset: AssetRef,
  firstFrame: AssetRef.nullable(),
  lastFrame: TakeFrame.nullable(),
  warnings: z.array(z.string()),
});

/**
 * Reads facts about tasks from a history. A task may have several facts. Skips payloads that cannot be read, such as
 * encrypted payloads.
 *
 * @throws ZodError if the value is not a history.
 */
export function taskFacts(history: unknown): readonly TaskFact[] {
  const scheduledActivities = new Map<string, { readonly activity: string; readonly input: unknown }>();
  const facts: (TaskFact | undefined)[] = [];
  for (const event of History.parse(history).events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled !== undefined) {
      scheduledActivities.set(event.eventId, {
        activity: scheduled.activityType.name,
        input: decoded(scheduled.input),
      });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed !== undefined)
      facts.push(factOf(scheduledActivities.get(completed.scheduledEventId), decoded(completed.result)));
  }
  return facts.filter((fact) => fact !== undefined);
}

function factOf(
  scheduled: { readonly activity: string; readonly input: unknown } | undefined,
  result: unknown,
): TaskFact | undefined {
  switch (scheduled?.activity) {
    case 'submitTask':
    case 'executeTask': {
      const submitted = Submitted.safeParse(result).data;
      if (submitted === undefined) return undefined;
      return fact(submitted, {
        end: submitted.state === 'accepted' ? undefined : Ended.safeParse(result).data,
        output: StoredOutput.safeParse(submitted.output).data,
        paid: paidTask(result, scheduled.input),
      });
    }
    case 'awaitTask': {
      const ref = TaskRef.safeParse(scheduled.input).data;
      if (ref === undefined) return undefined;
      return fact(ref, { end: Ended.safeParse(result).data, paid: paidTask(scheduled.input, ref['asked']) });
    }
    case 'storeOutput': {
      const ref = TaskRef.safeParse(scheduled.input).data;
      return ref && fact(ref, { output: StoredOutput.safeParse(result).data });
    }
    case 'lastFrame': {
      const ref = TaskRef.safeParse(scheduled.input).data;
      return ref && fact(ref, { output: withLastFrame(ref['output'], result) });
    }
    default:
      return undefined;
  }
}

function fact(
  { take, taskId }: z.infer<typeof TaskRef>,
  { end, output, paid }: { [Key in 'end' | 'output' | 'paid']?: TaskFact[Key] },
): TaskFact {
  return { production: take.productionId, shot: take.shotId, take: take.take, taskId, end, output, paid };
}

/** The stored output, with the last frame that the `lastFrame` activity stored. */
function withLastFrame(stored: unknown, frame: unknown): TakeOutput | undefined {
  const output = StoredOutput.safeParse(stored).data;
  return output && { ...output, lastFrame: TakeFrame.safeParse(frame).data ?? output.lastFrame };
}

function paidTask(accepted: unknown, asked: unknown): WorkflowTask | undefined {
  const paid = Paid.safeParse(accepted).data;
  return paid === undefined ? undefined : { ...paid, asked: Asked.safeParse(asked).data };
}

/** The value of the first payload, whose bytes are base64 in the JSON form; undefined if it is not JSON. */
function decoded(payloads: z.infer<typeof Payloads> | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(payloads?.payloads?.[0]?.data ?? '', 'base64').toString()) as unknown;
  } catch {
    return undefined;
  }
}
