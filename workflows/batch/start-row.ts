import {
  ChildWorkflowCancellationType,
  type ChildWorkflowOptions,
  ParentClosePolicy,
  patched,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { Priority } from '../../contracts/gateway/arbiter';
import type { AssetRef } from '../../contracts/asset';
import type { BatchInput, RowOutcome, RowPlace } from '../../contracts/render/batch';
import type { BatchRow, GenerationRow, ProductionRow } from '../../contracts/render/batch-page';
import { productionWorkflowId, rowProductionId, shotWorkflowId } from '../../contracts/identifiers';
import type { GenerateInput, ProductionInput, RowOf } from '../../contracts/workflows';
import { untilServed } from '../temporal/activity-failures';
import { batchActivities } from '../temporal/activity-options';
import { failure } from '../temporal/fail';
import { withSearchAttributes } from '../temporal/search-attributes';
import { generate } from '../row/generate';
import { production } from '../production/production';
import { endOfProduction, endOfTask, notStartedEnd } from '../row/row-end';

/** A row and the frozen productions of its `BatchPage`. */
export interface PlacedRow {
  readonly place: RowPlace;
  readonly row: BatchRow;
  /** The frozen production whose shots are the page's generation rows; null if the page has no such rows. */
  readonly frozen: AssetRef | null;
  /** Like `frozen`, but with only the shots that the fallback has changed. Absent if there are none. */
  readonly lowered?: AssetRef;
}

export interface RowStart {
  /** True if the caller has signalled the row and found that no workflow of the row is under way. */
  readonly isGone: boolean;
  readonly time: RowTime;
  readonly isDraining: () => boolean;
}

/** How the batch's `readyBy` affects a row that starts now. */
export interface RowTime {
  /** The time from which the row is urgent, ISO 8601; absent if there is none. */
  readonly urgentFrom?: string;
  /** Whether the row must use its fallback, if it has one. Always false for a model without a known usual time. */
  readonly isDue: boolean;
}

export interface StartedRow {
  /** @throws ChildWorkflowFailure if the row's workflow did not complete. */
  end(): Promise<RowOutcome>;
}

/** A row's workflow has the id of its shot or production, so `resolve`, `audit` and the archive find the workflow. */
export function rowWorkflowId({ storeId, batchId }: BatchInput, { key, isProduction }: RowPlace): string {
  return isProduction
    ? productionWorkflowId(storeId, rowProductionId(batchId, key))
    : shotWorkflowId(storeId, batchId, key);
}

/**
 * Starts a row's workflow. A production is first recorded in the store. If the batch drains by then, the production
 * does not start and ends as cancelled.
 *
 * @returns undefined, and starts nothing, if the store shows that a production row may have a workflow under way.
 * @throws WorkflowExecutionAlreadyStartedError if a workflow of the row is under way; AssetMissing if a generation's
 *   page has no frozen production; the failures of `beginProduction`.
 */
export function startRow(input: BatchInput, placed: PlacedRow, start: RowStart): Promise<StartedRow | undefined> {
  const { row } = placed;
  return row.kind === 'generation'
    ? startGeneration(input, placed, row, start.time)
    : startProduction(input, placed, row, start);
}

async function startGeneration(
  batch: BatchInput,
  { place, frozen, lowered }: PlacedRow,
  { key, shot: { model, mode = 'submit', ...rules }, fallback }: GenerationRow,
  { urgentFrom, isDue }: RowTime,
): Promise<StartedRow> {
  if (frozen === null) {
    throw failure('AssetMissing', `the page of row ${key} has no frozen production`);
  }
  const { batchId, renderId, searchable } = batch;
  const turn = {
    priority: priorityOf(batch),
    deadlineSeconds: rules.deadlineSeconds,
    ...(urgentFrom === undefined ? {} : { urgentFrom }),
  };
  const input: GenerateInput = {
    task: { productionId: batchId, production: frozen, shotId: key, links: [], renderId, attempt: 1, sibling: 0, turn },
    model,
    mode,
    ...rules,
    searchable,
    row: rowOf(batch, place),
    ...(fallback === undefined || lowered === undefined
      ? {}
      : { fallback: { mode: 'submit', ...fallback, production: lowered, isDue } }),
  };
  const child = await startChild(generate, {
    ...optionsOf(batch, place),
    args: [input],
    ...withSearchAttributes({ productionId: batchId, model, searchable }),
  });
  return { end: async () => endOfTask(await child.result()) };
}

async function startProduction(
  batch: BatchInput,
  { place }: PlacedRow,
  planned: ProductionRow,
  { isGone, isDraining }: RowStart,
): Promise<StartedRow | undefined> {
  const { batchId, storeId, renderId, searchable } = batch;
  const row = withPriority(planned, priorityOf(batch));
  const { productionId, production: frozen, plan, basis } = row;
  // Record the production before the start, so that a crash cannot leave paid work that the store does not know.
  const begin = { batchId, row, renderId, isGone };
  if (!(await untilServed(() => batchActivities().beginProduction(begin)))) return undefined;
  if (isDraining() && mustNotStart()) return { end: () => Promise.resolve(notStartedEnd()) };
  const input: ProductionInput = {
    productionId,
    storeId,
    production: frozen,
    plan,
    basis,
    renderId,
    searchable,
    row: rowOf(batch, place),
  };
  const child = await startChild(production, { ...optionsOf(batch, place), args: [input] });
  return { end: async () => endOfProduction(await child.result()) };
}

/** False in histories of versions that started rows in a drain. */
function mustNotStart(): boolean {
  if (!patched('no-row-starts-in-a-drain')) return false;
  return true;
}

function rowOf({ batchId, renderId }: BatchInput, { key, digest }: RowPlace): RowOf {
  return { key, digest, batch: workflowInfo().workflowId, batchId, renderId };
}

/** Rows have the lowest priority by default. */
function priorityOf({ priority = 'batch' }: BatchInput): Priority {
  return priority;
}

/** Gives a production without a priority the batch's priority. `basis` keeps it for revisions of the render. */
function withPriority(row: ProductionRow, priority: Priority): ProductionRow {
  const { plan, basis } = row;
  return plan.priority === undefined ? { ...row, plan: { ...plan, priority }, basis: { ...basis, priority } } : row;
}

/** A row's workflow outlives the batch's: a batch continues as new, and may end while its rows wait for people. */
function optionsOf(
  batch: BatchInput,
  place: RowPlace,
): Pick<ChildWorkflowOptions, 'parentClosePolicy' | 'cancellationType' | 'workflowTaskTimeout'> & {
  workflowId: string;
  staticSummary: string;
} {
  return {
    workflowId: rowWorkflowId(batch, place),
    staticSummary: place.key,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.ABANDON,
    workflowTaskTimeout: '5 seconds',
  };
}
