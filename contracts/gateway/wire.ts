import { z } from 'zod';

/** The four task states. COMPLETED and FAILED are final. Source: gateway specification, "States and transitions". */
export const TASK_STATES = ['ACCEPTED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'] as const;
export const TaskState = z.enum(TASK_STATES);
export type TaskState = z.infer<typeof TaskState>;

/** Longest duration of an execute call, in milliseconds. Source: gateway specification, "Limits". */
export const EXECUTE_LIMIT_MS = 20_000;

/** Body of submit and execute at the unified addresses. The model's own input is the inner `params`. */
export const UnifiedRequest = z.strictObject({
  params: z.strictObject({ model: z.string(), params: z.record(z.string(), z.unknown()) }),
});
export type UnifiedRequest = z.infer<typeof UnifiedRequest>;

/** Body of submit and execute at a workflow's own addresses. The model's input is beside `model`. */
export const WorkflowRequest = z.strictObject({
  params: z.looseObject({ model: z.string() }),
});
export type WorkflowRequest = z.infer<typeof WorkflowRequest>;

/** Output of a task. Shapes of other fields are not specified; unknown fields are kept. */
const TaskResult = z.looseObject({
  url: z.string().optional(),
  items: z.array(z.looseObject({ url: z.string() })).optional(),
  model: z.string().optional(),
  text: z.string().optional(),
});

/** `credits`: the charge for the task. */
const Usage = z.looseObject({ credits: z.number() });

/** Answer to a submit: only the task id. */
export const SubmitResponse = z.looseObject({
  status: z.string(),
  response: z.looseObject({ id: z.string() }),
});
export type SubmitResponse = z.infer<typeof SubmitResponse>;

/** Answer to execute, and to a read of the result. */
export const TaskResponse = z.looseObject({
  status: z.string(),
  response: z.looseObject({
    id: z.string(),
    status: TaskState,
    result: TaskResult.optional(),
    usage: Usage.optional(),
  }),
});
export type TaskResponse = z.infer<typeof TaskResponse>;
