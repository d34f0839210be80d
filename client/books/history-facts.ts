import { z } from 'zod';
import { type TakeOutput } from '../../contracts/activities';
import { Sha256, AssetRef, TakeFrame } from '../../contracts/asset';
import { type WorkflowTask } from '../../store';

/**
 * Facts about gateway tasks, read from workflow histories. The histories have the JSON form of their protobuf messages,
 * as in the archive.
 */

export interface HistoryEnd {
  readonly state: 'completed' | 'failed';
  /** Null if the gateway did not say. */
  readonly credits: number | null;
  /** Null for a completed task. */
  readonly reason: string | null;
}

/** A task in a history: its id, and its end and output if the history has them. */
export interface TaskFact {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly taskId: string;
  readonly end: HistoryEnd | undefined;
  readonly output: TakeOutput | undefined;
  /** What a ledger that has lost the task needs to rebuild it; undefined if this history does not have it. */
  readonly paid: WorkflowTask | undefined;
}

/** The take that a task was accepted for. */
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

/** The parts of activities' inputs and results that name a task. */
const Take = z.looseObject({ productionId: z.string(), shotId: z.string(), take: z.int() });
const Named = z.looseObject({ take: Take, taskId: z.string() });
const Submitted = Named.extend({ state: z.string(), output: z.unknown().optional() });
const Ended = z
  .looseObject({
    state: z.enum(['completed', 'failed']),
    credits: z.number().nullable(),
    reason: z.string().nullable().default(null),
  })
  .transform(({ state, credits, reason }): HistoryEnd => ({ state, credits, reason }));
const Left = z.object({
  asset: AssetRef,
  firstFrame: AssetRef.nullable(),
  lastFrame: TakeFrame.nullable(),
  warnings: z.array(z.string()),
});

/** Reads the tasks from a history. Payloads that cannot be read, such as encrypted ones, are skipped. */
export function taskFacts(history: unknown): readonly TaskFact[] {
  const asked = new Map<string, { readonly activity: string; readonly input: unknown }>();
  const facts: (TaskFact | undefined)[] = [];
  for (const event of History.parse(history).events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled !== undefined) {
      asked.set(event.eventId, { activity: scheduled.activityType.name, input: decoded(scheduled.input) });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed !== undefined) facts.push(factOf(asked.get(completed.scheduledEventId), decoded(completed.result)));
  }
  return facts.filter((fact) => fact !== undefined);
}

function factOf(
  asked: { readonly activity: string; readonly input: unknown } | undefined,
  result: unknown,
): TaskFact | undefined {
  switch (asked?.activity) {
    case 'submitTask':
    case 'executeTask': {
      const submitted = Submitted.safeParse(result).data;
      if (submitted === undefined) return undefined;
      return fact(submitted, {
        end: submitted.state === 'accepted' ? undefined : Ended.safeParse(result).data,
        output: Left.safeParse(submitted.output).data,
        paid: paidTask(result, asked.input),
      });
    }
    case 'awaitTask': {
      const named = Named.safeParse(asked.input).data;
      if (named === undefined) return undefined;
      return fact(named, { end: Ended.safeParse(result).data, paid: paidTask(asked.input, named['asked']) });
    }
    case 'storeOutput': {
      const named = Named.safeParse(asked.input).data;
      return named && fact(named, { output: Left.safeParse(result).data });
    }
    case 'lastFrame': {
      const named = Named.safeParse(asked.input).data;
      return named && fact(named, { output: withLastFrame(named['output'], result) });
    }
    default:
      return undefined;
  }
}

function fact(
  { take, taskId }: z.infer<typeof Named>,
  { end, output, paid }: { [Key in 'end' | 'output' | 'paid']?: TaskFact[Key] },
): TaskFact {
  return { production: take.productionId, shot: take.shotId, take: take.take, taskId, end, output, paid };
}

/** The stored output, with the last frame that was cut later. */
function withLastFrame(stored: unknown, frame: unknown): TakeOutput | undefined {
  const output = Left.safeParse(stored).data;
  return output && { ...output, lastFrame: TakeFrame.safeParse(frame).data ?? output.lastFrame };
}

function paidTask(accepted: unknown, asked: unknown): WorkflowTask | undefined {
  const paid = Paid.safeParse(accepted).data;
  return paid === undefined ? undefined : { ...paid, asked: Asked.safeParse(asked).data };
}

/** The first payload. The JSON form encodes bytes as base64. */
function decoded(payloads: z.infer<typeof Payloads> | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(payloads?.payloads?.[0]?.data ?? '', 'base64').toString()) as unknown;
  } catch {
    return undefined;
  }
}
