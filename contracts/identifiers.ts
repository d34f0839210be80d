/**
 * Every id and name that Dailies builds, in one place. No other module puts one together.
 *
 * Production and shot ids become file names and workflow ids, so both keep to one safe alphabet.
 */

/** Letters, digits, dot, dash and underscore, starting with a letter or digit; at most 64 characters. */
export const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Turns a file's base name or a title into a valid id; empty where nothing is left. */
export function toId(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 64);
}

/** Whose work it is: the account that pays and the store that remembers. Part of queue names and workflow ids. */
export interface Tenancy {
  /** Short hash of the gateway account. */
  readonly account: string;
  readonly storeId: string;
}

export function productionWorkflowId(storeId: string, productionId: string): string {
  return `production/${storeId}/${productionId}`;
}

export function shotWorkflowId(storeId: string, productionId: string, shotId: string): string {
  return `shot/${storeId}/${productionId}/${shotId}`;
}

export function generateWorkflowId(storeId: string, generationId: string): string {
  return `generate/${storeId}/${generationId}`;
}

export function batchWorkflowId(storeId: string, batchId: string): string {
  return `batch/${storeId}/${batchId}`;
}

/** The production that a row of a batch is, where it is one. */
export function rowProductionId(batchId: string, key: string): string {
  return `${batchId}.${key}`;
}

/** @param film names the film, so that the same one is put together once at a time. */
export function assembleWorkflowId(storeId: string, film: string): string {
  return `assemble/${storeId}/${film}`;
}

/** @param queueOfWorkflows names account and store. */
export function arbiterWorkflowId(queueOfWorkflows: string): string {
  return `arbiter/${queueOfWorkflows}`;
}

/** @param queueOfWorkflows names account and store. */
export function latestTakeWorkflowId(queueOfWorkflows: string): string {
  return `latest-take/${queueOfWorkflows}`;
}

/** Longest name of a schedule: the ids of its runs begin with it. */
export const SCHEDULE_NAME_MAX = 40;

/** @param name as a person calls it; two stores on one server may both have it. */
export function scheduleId(storeId: string, name: string): string {
  return `schedule/${storeId}/${name}`;
}

/** Of the schedule that stands beside another for a moment, to ask the server for times. */
export function timesScheduleId(storeId: string, name: string): string {
  return `times/${storeId}/${name}`;
}

/** Of the workflow that a schedule starts; Temporal appends the scheduled time to it. */
export function scheduledRunWorkflowId(storeId: string, schedule: string): string {
  return `scheduled/${storeId}/${schedule}`;
}

/** The same for a run that a person triggered, whose production's id is known before. */
export function triggeredRunWorkflowId(storeId: string, productionId: string): string {
  return `triggered/${storeId}/${productionId}`;
}

/**
 * The production that a schedule renders for a time, as `night-20261122T020000Z`.
 *
 * @param at ISO 8601; parts of a second do not count.
 */
export function runProductionId(schedule: string, at: string, by: 'schedule' | 'hand'): string {
  const second = new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:]/g, '');
  return `${schedule}-${by === 'hand' ? 'hand-' : ''}${second}`;
}

export function noticeWorkflowId(storeId: string, noticeId: string): string {
  return `notice/${storeId}/${noticeId}`;
}

/**
 * The id of a notice: the same for the same event of the same run.
 *
 * @param what tells it from all others of its type.
 */
export function noticeId(
  storeId: string,
  type: string,
  subject: { readonly kind: string; readonly id: string; readonly renderId: string },
  what: readonly string[],
): string {
  return `msg_${fingerprint(JSON.stringify([storeId, subject.kind, subject.id, subject.renderId, type, what]))}`;
}

const FNV_OFFSET = 0x6c62272e07bb014262b821756295c58dn;
const FNV_PRIME = 0x0000000001000000000000000000013bn;

/**
 * 128 bits of a text, in hexadecimal, where Node's hashes are not at hand. Nobody gains by a collision here.
 *
 * Source: FNV-1a, draft-eastlake-fnv.
 */
function fingerprint(text: string): string {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    hash = BigInt.asUintN(128, (hash ^ BigInt(text.charCodeAt(index))) * FNV_PRIME);
  }
  return hash.toString(16).padStart(32, '0');
}

/** The production under which a single task from `dailies generate` is kept in the ledger. */
export const GENERATIONS = 'generations';
