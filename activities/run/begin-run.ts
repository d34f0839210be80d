import { ZodError } from 'zod';
import { runProductionId } from '../../contracts/identifiers';
import { withReadyInstant } from '../../contracts/render/plan';
import { type ProductionPlan } from '../../contracts/render/plan';
import { runValues } from '../../contracts/file/run-values';
import {
  type BeginRunInput,
  type BegunRun,
  type ScheduleActivities,
  type ScheduleTemplate,
} from '../../contracts/render/scheduled-run';
import { begunOf, isDamaged, type ScheduledRun, type Store, withSendingModes } from '../../store';
import { failure } from '../fail';
import { beginBatch } from './begin-batch';
import { fillBatch } from './fill-batch';
import { withFallbackFilled } from './fill-fallback';
import { filledPlan, fillProduction } from './fill-production';
import { mayBegin, type RunGate } from './may-begin';
import { OF_SCHEDULE, storedJson } from '../stored-json';
import { whileLedgerServes } from '../translate-error';
import { withHeartbeat } from '../with-heartbeat';

/**
 * Makes the activity that begins the run of a scheduled time. The first attempt decides the run's number, fills in the
 * variables of its production or batch, and records the run. Later attempts for the same time use the record. Spends
 * nothing.
 *
 * @param gate tells whether a run may begin. Default: every run may.
 * @returns `had` if the run has ended or was rendered again since; `halted` if its schedule is paused or deleted,
 *   unless a person started the run.
 * @throws LedgerUnavailable, ScheduleUnreachable, ProductionHeld (retried), RunRefused, AssetMissing (final). See
 *   docs/failures.md.
 */
export function createBeginRun(store: Store, account: string, gate: RunGate = {}): ScheduleActivities['beginRun'] {
  return (input) =>
    withHeartbeat(() =>
      whileReadable(async () => {
        const productionId = runProductionId(input.schedule, input.scheduledAt, input.by);
        const settled = await readRun(store, input.schedule, productionId);
        if (settled !== undefined) return begin(store, account, settled, input);
        const now = await mayBegin(gate, input);
        if (now === 'halted') return { state: 'halted', productionId };
        return begin(store, account, await settle(store, account, productionId, now), now);
      }),
    );
}

/**
 * Refuses a run for good if its own record or an asset is not JSON, or if any record or asset has a wrong format or an
 * unknown time zone. Retries after disk errors, and if a record other than the run's is not JSON.
 */
function whileReadable(step: () => Promise<BegunRun>): Promise<BegunRun> {
  return whileLedgerServes(async () => {
    try {
      return await step();
    } catch (error) {
      if (!UNREADABLE.some((kind) => error instanceof kind)) throw error;
      throw unreadableRun(error);
    }
  });
}

const UNREADABLE = [ZodError, RangeError, TypeError, SyntaxError];

async function readRun(store: Store, schedule: string, productionId: string): ReturnType<Store['runs']['run']> {
  try {
    return await store.runs.run(schedule, productionId);
  } catch (error) {
    throw isDamaged(error) ? unreadableRun(error) : error;
  }
}

function unreadableRun(error: unknown): Error {
  return failure('RunRefused', `the run cannot be read: ${String(error)}`, { cause: error });
}

async function begin(store: Store, account: string, run: ScheduledRun, input: BeginRunInput): Promise<BegunRun> {
  const { productionId } = run;
  if (run.account !== account) {
    throw failure('RunRefused', `${productionId} is rendered for the account ${run.account}, and this is ${account}`);
  }
  return run.kind === 'batch' ? beginBatch(store, run, input) : beginProduction(store, account, run, input);
}

async function beginProduction(
  store: Store,
  account: string,
  run: Extract<ScheduledRun, { kind: 'production' }>,
  input: BeginRunInput,
): Promise<BegunRun> {
  const { productions } = store;
  const { productionId, production, plan: planAsset } = run;
  // Every attempt has the same render id. With another one, a retry would pay for new takes of failed shots.
  const renderId = productionId;
  const plan = (await storedJson(store, planAsset, OF_SCHEDULE)) as ProductionPlan;
  const basis = { plan: planAsset, written: production, maxInFlight: null, unattended: false };
  const begun = await productions.begun(productionId);
  // Ask the store whether the render has ended: Temporal deletes old workflows, and its server may have been replaced.
  if (
    begun !== undefined &&
    (begun.renderId !== renderId || (await productions.endedRender(productionId)) === renderId)
  ) {
    return { state: 'had', productionId };
  }
  if (begun === undefined) {
    const render = { production: productionId, renderId, frozen: production, basis, startedAt: now() };
    // Record the production before it starts: a crash in between must not leave paid work that the store does not know.
    await productions.begin(productionId, begunOf(render, account, plan.shots));
  }
  await store.prunes.waitForPrune();
  return {
    state: 'begun',
    productionId,
    production,
    // Compute the deadline from the scheduled time, so that a late start does not move the deadline by a day.
    plan: withReadyInstant(await withSendingModes(plan, store.account(account).usualTimes), {
      ms: Date.parse(input.scheduledAt),
      timeZone: input.timezone,
    }),
    basis,
    renderId,
  };
}

/** Decides the run's number and contents, and records them. */
async function settle(
  store: Store,
  account: string,
  productionId: string,
  { schedule, template: asset, scheduledAt, by, timezone }: BeginRunInput,
): Promise<ScheduledRun> {
  const { runs } = store;
  if (!(await runs.claim(schedule, productionId))) {
    throw failure('RunRefused', `the id ${productionId} belongs to another production; give the schedule another name`);
  }
  const template = (await storedJson(store, asset, OF_SCHEDULE)) as ScheduleTemplate;
  const number = await runs.number(schedule, productionId);
  const values = runValues({ schedule, production: productionId, scheduledAt, timezone, runNumber: number });
  const common = { schedule, productionId, scheduledAt, by, number, account, template: asset, at: now() };
  if (template.kind === 'batch') {
    const from = { ms: Date.parse(scheduledAt), timeZone: timezone };
    const index = await fillBatch(store, template.index, { batchId: productionId, values, from });
    return runs.record({ kind: 'batch', ...common, index: await store.putJson(index) });
  }
  const production = fillProduction(template.production, productionId, values);
  const withFallback = await withFallbackFilled(store, template, productionId, values);
  const plan = filledPlan(withFallback, production);
  return runs.record({
    kind: 'production',
    ...common,
    production: await store.putJson(production),
    plan: await store.putJson(plan),
  });
}

function now(): string {
  return new Date().toISOString();
}
