/**
 * Ids of workflows and schedules, and of the productions and notices that Dailies names.
 *
 * Production and shot ids become file names and workflow ids, so both use one safe alphabet.
 */

/** Letters, digits, dot, dash and underscore, starting with a letter or digit; at most 64 characters. */
export const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Turns a file's base name or a title into a valid id; empty if no ASCII letter or digit is left. */
export function toId(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 64);
}

/** The account that pays and the store that keeps the records. Queue names contain both. */
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

/** Production id of a batch row that is a production. */
export function rowProductionId(batchId: string, key: string): string {
  return `${batchId}.${key}`;
}

/** @param film identifies the film, so that only one workflow at a time assembles the film. */
export function assembleWorkflowId(storeId: string, film: string): string {
  return `assemble/${storeId}/${film}`;
}

/** @param queueOfWorkflows contains account and store. */
export function arbiterWorkflowId(queueOfWorkflows: string): string {
  return `arbiter/${queueOfWorkflows}`;
}

/** @param queueOfWorkflows contains account and store. */
export function latestTakeWorkflowId(queueOfWorkflows: string): string {
  return `latest-take/${queueOfWorkflows}`;
}

/** Maximum length of a schedule's name: a run's id is this name and up to 22 characters, and ids have at most 64. */
export const SCHEDULE_NAME_MAX = 40;

/** @param name given by a person. Two stores on one Temporal server may use the same name. */
export function scheduleId(storeId: string, name: string): string {
  return `schedule/${storeId}/${name}`;
}

/** Id of a temporary schedule that is created to ask the Temporal server for times. */
export function timesScheduleId(storeId: string, name: string): string {
  return `times/${storeId}/${name}`;
}

/** Id of the workflow that a schedule starts. Temporal appends the scheduled time. */
export function scheduledRunWorkflowId(storeId: string, schedule: string): string {
  return `scheduled/${storeId}/${schedule}`;
}

/** Workflow id of a run that a person triggered. */
export function triggeredRunWorkflowId(storeId: string, productionId: string): string {
  return `triggered/${storeId}/${productionId}`;
}

/**
 * Id of the production or batch that a schedule's run renders, for example `night-20261122T020000Z`.
 *
 * @param at ISO 8601; fractions of a second are ignored.
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
 * Id of a notice: the same for the same event of the same render.
 *
 * @param what distinguishes the event from others of its type.
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
 * Returns a 128-bit hash of a text in hexadecimal. Workflows call this function, so it does not use Node's crypto. The
 * hash does not resist deliberate collisions, but nobody gains from one.
 *
 * Source: FNV-1a, draft-eastlake-fnv, applied to UTF-16 code units instead of bytes.
 */
function fingerprint(text: string): string {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    hash = BigInt.asUintN(128, (hash ^ BigInt(text.charCodeAt(index))) * FNV_PRIME);
  }
  return hash.toString(16).padStart(32, '0');
}

/** The production id under which the ledger keeps single tasks outside batches. */
export const GENERATIONS = 'generations';
