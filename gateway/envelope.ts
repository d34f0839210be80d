import { isTaskId, type ModelAddress } from './addresses';
import { asFields, readCredits, readFailure, readId, readResult, readTaskState } from './readings';
import type { Fields, TaskResultReading } from './readings';
import type { Redact } from './redaction';

/** A request to a model, with parameters under the gateway's names. */
export interface TaskRequest {
  readonly model: ModelAddress;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What an answer says about a task. `completed` and `failed` are final. */
export type TaskReading =
  | {
      readonly state: 'pending';
      readonly status: string;
      /** False for a status that the specification does not name. */
      readonly known: boolean;
    }
  | { readonly state: 'completed'; readonly result: TaskResultReading; readonly credits: number | null }
  | {
      readonly state: 'failed';
      readonly code: string | null;
      readonly message: string | null;
      readonly credits: number | null;
      /** The answer for the ledger, without secrets, cut to `FAILED_BODY_LENGTH`. */
      readonly raw: string;
    };

/**
 * A 2xx answer that is no envelope (the JSON object around each answer), or an envelope with unexpected contents. The
 * message is to be shown after the word "answered". It is neither bounded nor free of secrets.
 */
export class EnvelopeFault extends Error {}

/** Longest part of a FAILED answer that is kept, in characters. This body may be the only trace of the reason. */
const FAILED_BODY_LENGTH = 8_000;

/** Longest code and message of a failure, in characters: both are shown on screens and kept in histories. */
const CODE_MAX_LENGTH = 100;
const MESSAGE_MAX_LENGTH = 1_000;

/**
 * Builds the body of submit and execute. If the model has paths of its own (`model.workflow`), the parameters are in
 * `params` itself, beside `model`; otherwise they are in an inner `params`.
 */
export function requestBody({ model, parameters }: TaskRequest): string {
  const params =
    model.workflow === undefined ? { model: model.id, params: parameters } : { ...parameters, model: model.id };
  return JSON.stringify({ params });
}

/** Reads the answer to a submit. A task id means accepted, whatever the envelope's status is. */
export function readSubmitAnswer(text: string): { taskId: string } {
  const { id, status } = parseEnvelope(text);
  if (id === null)
    throw new EnvelopeFault(`a submit with an envelope whose status is ${quote(status)}, without a task id`);
  if (!isTaskId(id)) throw new EnvelopeFault('a submit with a task id that cannot be part of an address');
  return { taskId: id };
}

/** Reads the answer to an execute. A pending task with an id can be awaited like a submitted one. */
export function readExecuteAnswer(text: string, redact: Redact): TaskReading & { taskId: string | null } {
  const envelope = parseEnvelope(text);
  const taskId = envelope.id !== null && isTaskId(envelope.id) ? envelope.id : null;
  if (!isSuccess(envelope) && taskId === null) {
    throw new EnvelopeFault(`an execute with an envelope whose status is ${quote(envelope.status)}, without a task id`);
  }
  const reading = readTask(envelope, redact);
  if (reading.state === 'pending' && taskId === null) {
    throw new EnvelopeFault('an execute with neither an end nor a task id');
  }
  return { ...reading, taskId };
}

/** Reads the answer to a read of a task's result. FAILED is final, whatever the envelope's status is. */
export function readResultAnswer(text: string, taskId: string, redact: Redact): TaskReading {
  const envelope = parseEnvelope(text);
  if (envelope.id !== null && envelope.id !== taskId) throw new EnvelopeFault("with another task's id");
  const reading = readTask(envelope, redact);
  if (reading.state !== 'failed' && !isSuccess(envelope)) {
    throw new EnvelopeFault(`a read with an envelope whose status is ${quote(envelope.status)}`);
  }
  if (reading.state === 'pending' && reading.status === '') throw new EnvelopeFault('a read without a task status');
  return reading;
}

interface Envelope {
  readonly text: string;
  readonly fields: Fields;
  readonly status: unknown;
  readonly response: Fields;
  readonly id: string | null;
}

function parseEnvelope(text: string): Envelope {
  if (text.trim() === '') throw new EnvelopeFault('with an empty body');
  let fields: Fields;
  try {
    fields = asFields(JSON.parse(text));
  } catch {
    throw new EnvelopeFault('with a body that is not JSON');
  }
  const response = asFields(fields['response']);
  return { text, fields, status: fields['status'], response, id: readId(response['id']) };
}

function readTask({ text, fields, response }: Envelope, redact: Redact): TaskReading {
  const status = typeof response['status'] === 'string' ? response['status'] : '';
  const state = readTaskState(status);
  const credits = readCredits(response);
  if (state === 'COMPLETED') return { state: 'completed', result: readResult(response), credits };
  if (state === 'FAILED') {
    const { code, message } = readFailure(fields, response);
    return {
      state: 'failed',
      code: code === null ? null : redact(code, CODE_MAX_LENGTH),
      message: message === null ? null : redact(message, MESSAGE_MAX_LENGTH),
      credits,
      raw: redact(text, FAILED_BODY_LENGTH),
    };
  }
  return { state: 'pending', status: redact(status, 100), known: state !== undefined };
}

function isSuccess({ status }: Envelope): boolean {
  return typeof status === 'string' && status.trim().toLowerCase() === 'success';
}

function quote(status: unknown): string {
  return typeof status === 'string' ? JSON.stringify(status) : 'missing or not a text';
}
