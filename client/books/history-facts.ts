import { type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { z } from 'zod';

/** A workflow's history, as Temporal's client fetches it. */
export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type HistoryEvent = NonNullable<History['events']>[number];
type Payload = NonNullable<
  NonNullable<NonNullable<HistoryEvent['activityTaskCompletedEventAttributes']>['result']>['payloads']
>[number];

/** What a history says of a task at the gateway: its id, and what it was charged where the history has its end. */
export interface TaskFact {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly taskId: string;
  /** Undefined where this history does not have the task's end; null where the gateway did not say. */
  readonly credits: number | null | undefined;
}

/** The parts of activities' inputs and results that name a task; whatever else they carry is none of our concern. */
const Take = z.looseObject({ productionId: z.string(), shotId: z.string(), take: z.int() });
const Submitted = z.looseObject({
  take: Take,
  taskId: z.string(),
  state: z.string(),
  credits: z.number().nullable().optional(),
});
const Awaited = z.looseObject({ take: Take, taskId: z.string() });
const Ended = z.looseObject({ state: z.enum(['completed', 'failed']), credits: z.number().nullable() });

/** Reads from a history which tasks it knows. A payload that cannot be decoded, as an encrypted one, says nothing. */
export function taskFacts({ events }: History): readonly TaskFact[] {
  const scheduled = new Map<string, { readonly activity: string; readonly input: unknown }>();
  const facts: TaskFact[] = [];
  for (const { eventId, activityTaskScheduledEventAttributes: asked, ...event } of events ?? []) {
    if (asked != null) {
      scheduled.set(String(eventId), {
        activity: asked.activityType?.name ?? '',
        input: decoded(asked.input?.payloads?.[0]),
      });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed == null) continue;
    const of = scheduled.get(String(completed.scheduledEventId));
    const fact = factOf(of?.activity ?? '', of?.input, decoded(completed.result?.payloads?.[0]));
    if (fact !== undefined) facts.push(fact);
  }
  return facts;
}

function factOf(activity: string, input: unknown, result: unknown): TaskFact | undefined {
  if (activity === 'submitTask' || activity === 'executeTask') {
    const submitted = Submitted.safeParse(result).data;
    if (submitted === undefined) return undefined;
    return fact(submitted, submitted.state === 'accepted' ? undefined : submitted.credits);
  }
  if (activity !== 'awaitTask') return undefined;
  const awaited = Awaited.safeParse(input).data;
  return awaited === undefined ? undefined : fact(awaited, Ended.safeParse(result).data?.credits);
}

function fact({ take, taskId }: z.infer<typeof Awaited>, credits: TaskFact['credits']): TaskFact {
  return { production: take.productionId, shot: take.shotId, take: take.take, taskId, credits };
}

function decoded(payload: Payload | undefined): unknown {
  if (payload === undefined) return undefined;
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}
