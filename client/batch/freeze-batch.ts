import { type AssetRef } from '../../contracts/asset';
import { type BatchBounds, type BatchRules } from '../../contracts/render/batch';
import {
  type BatchIndex,
  type BatchPage,
  type BatchRow,
  type LoweredRowShot,
  type PageRow,
  ROWS_PER_PAGE,
  type RowShot,
} from '../../contracts/render/batch-page';
import { FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { rowProductionId } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/render/plan';
import { withReadyInstant } from '../../contracts/render/plan';
import { hashOf, openRowContent, quickModels, shotDigest, type Store, type StoreView } from '../../store';
import { localNow } from '../records/local-now';
import { type CheckedProduction, type CheckedShot } from '../production-file';
import { freezeProduction, frozenForm } from '../freeze/freeze-production';
import { assetOfJson } from '../freeze/freeze-fallback';
import { assetOf, describe, fallbackForm, freezeShot, oncePerPath } from '../freeze/freeze-production';
import { planOf, targetOf } from '../freeze/plan-of';
import { type CheckedBatch } from '../batch-file/check-batch';
import { type CheckedRow } from '../batch-file/check-rows';
import { readEnds } from './row-ends';
import { isComplete } from './row-output';

/** A page ends when its rows exceed this size, because a workflow gets the rows of a page as one payload. */
const MOST_BYTES_OF_A_PAGE = 100_000;

/** The destination of frozen rows: a store, or nothing if only a plan is needed. */
export interface FreezeTarget {
  putFile(path: string): Promise<AssetRef>;
  putJson(value: unknown): Promise<AssetRef>;
  freezeProduction(
    production: CheckedProduction,
    id: string,
  ): Promise<{
    readonly frozen: FrozenProduction;
    readonly ref: AssetRef;
    readonly plan: ProductionPlan;
    readonly written: AssetRef;
  }>;
}

export interface FreezeBatchOptions {
  readonly target: FreezeTarget;
  /** Whether an earlier run completed this row with the same content. */
  readonly isDone: (row: Pick<BatchRow, 'key' | 'digest' | 'kind'>) => Promise<boolean>;
  /**
   * How to send a shot's task, by the file's `quick` or else by the usual time of the model's tasks. A video without
   * `quick` is submitted. Undefined means `submit`.
   */
  readonly modeOf: (shot: Pick<CheckedShot, 'model' | 'quick'>) => Promise<RowShot['mode']>;
  /** The moment from which the `readyBy` of a row's production is computed. Default: now. */
  readonly from?: Moment;
  /** Called for each row that will be rendered, with its shots. */
  readonly onOpen?: (row: BatchRow, shots: readonly FrozenShot[]) => Promise<void>;
}

/** The options of `freezeBatch` that depend on the store. */
export async function freezing(
  store: StoreView,
  account: string,
  batchId: string,
): Promise<Omit<FreezeBatchOptions, 'target'>> {
  const ends = await readEnds(store, batchId, account);
  const isQuick = quickModels(store.account(account).usualTimes);
  return {
    async isDone(row) {
      const end = ends.get(row.key);
      return end?.digest === row.digest && isComplete(store, { batchId, account }, row, end);
    },
    async modeOf({ model, quick }) {
      if (quick !== undefined) return quick ? 'execute' : 'submit';
      return model.output !== 'video' && (await isQuick(model.id)) ? 'execute' : undefined;
    },
  };
}

/** Freezes the rows of a batch page by page. */
export async function freezeBatch(
  batch: CheckedBatch,
  { target, isDone, modeOf, from = localNow(), onOpen }: FreezeBatchOptions,
): Promise<BatchIndex> {
  const { id, title } = batch;
  const pages: AssetRef[] = [];
  const content = openRowContent();
  const putFile = oncePerPath((path) => target.putFile(path));
  let [rows, open, bytes] = [0, 0, 0];
  let page: PageRow[] = [];
  let shots: FrozenShot[] = [];
  let lowered: FrozenShot[] = [];
  const openByModel: Record<string, number> = {};

  async function add({ row, shots: ofRow }: FrozenRow): Promise<void> {
    const done = await isDone(row);
    if (!done) await onOpen?.(row, ofRow);
    rows += 1;
    open += done ? 0 : 1;
    if (!done && row.kind === 'generation') openByModel[row.shot.model] = (openByModel[row.shot.model] ?? 0) + 1;
    bytes += JSON.stringify(row).length;
    content.add(row);
    page.push({ ...row, isDone: done });
  }
  const putShots = (some: readonly FrozenShot[]): Promise<AssetRef> =>
    target.putJson(FrozenProduction.parse({ version: 1, id, title, shots: some }));
  async function endPage(): Promise<void> {
    if (page.length === 0) return;
    const frozen = shots.length === 0 ? null : await putShots(shots);
    const low = lowered.length === 0 ? {} : { lowered: await putShots(lowered) };
    pages.push(await target.putJson({ frozen, ...low, rows: page } satisfies BatchPage));
    [page, shots, lowered, bytes] = [[], [], [], 0];
  }
  async function generationRow({ key, shot, lowered: checked }: GenerationOf<CheckedRow>): Promise<FrozenRow> {
    const frozen = await freezeShot(shot, putFile);
    shots.push(frozen);
    const digest = shotDigest(frozen);
    const row = { kind: 'generation', key, digest, shot: await rowShot(shot, modeOf) } as const;
    const low = checked && (await freezeShot(checked, putFile));
    if (checked === undefined || low === undefined || shotDigest(low) === digest) return { row, shots: [frozen] };
    lowered.push(low);
    return { row: { ...row, fallback: await loweredShot(checked, modeOf) }, shots: [frozen] };
  }

  for await (const row of batch.read()) {
    if (row.kind === 'production') await add(await productionRow(id, row, target, from));
    else await add(await generationRow(row));
    if (page.length === ROWS_PER_PAGE || bytes > MOST_BYTES_OF_A_PAGE) await endPage();
  }
  await endPage();
  return { batch: id, title, content: content.hash(), rows, open, pages, openByModel };
}

/** All rules of a batch. Stores the address for notices, because the rules contain only the receiver's name. */
export async function rulesOfBatch(
  { notices }: Pick<Store, 'notices'>,
  { notify, readyBy, hasFallback }: Pick<CheckedBatch, 'notify' | 'readyBy' | 'hasFallback'>,
  bounds: BatchBounds,
): Promise<BatchRules> {
  if (notify !== null) await notices.putTarget(notify.url);
  return {
    ...bounds,
    ...(notify === null ? {} : { notify: targetOf(notify) }),
    ...(readyBy === null ? {} : { readyBy: { rule: readyBy, hasFallback } }),
  };
}

interface FrozenRow {
  readonly row: BatchRow;
  readonly shots: readonly FrozenShot[];
}

type Moment = ReturnType<typeof localNow>;
type GenerationOf<Row> = Extract<Row, { readonly kind: 'generation' }>;

export function intoStore(store: Store): FreezeTarget {
  return {
    putFile: (path) => store.assets.putFile(path, describe),
    putJson: (value) => store.putJson(value),
    freezeProduction: (production, id) => freezeProduction(production, store, { id }),
  };
}

export function intoNothing(): FreezeTarget {
  const putJson = (value: unknown): Promise<AssetRef> => Promise.resolve(assetOfJson(value));
  return {
    putFile: assetOf,
    putJson,
    async freezeProduction(production, id) {
      const frozen = await frozenForm(production, { id });
      const ref = await putJson(frozen);
      const fallback = await fallbackForm(production, frozen);
      const plan = planOf(production, { written: frozen, frozen, directed: new Set(), fallback });
      return { frozen, ref, plan, written: ref };
    },
  };
}

async function productionRow(
  batchId: string,
  { key, production }: CheckedRow & { readonly kind: 'production' },
  target: FreezeTarget,
  from: Moment,
): Promise<FrozenRow> {
  const productionId = rowProductionId(batchId, key);
  const { frozen, ref, plan, written } = await target.freezeProduction(production, productionId);
  const basis = { plan: await target.putJson(plan), written, maxInFlight: null, unattended: false };
  const row = { kind: 'production', key, digest: hashOf(frozen), productionId, production: ref, basis } as const;
  return { row: { ...row, plan: withReadyInstant(plan, from) }, shots: frozen.shots };
}

async function rowShot(
  { model, deadlineSeconds, retryFailed, onFailure, quick }: CheckedShot,
  modeOf: FreezeBatchOptions['modeOf'],
): Promise<RowShot> {
  const mode = await modeOf({ model, ...(quick === undefined ? {} : { quick }) });
  return {
    model: model.id,
    output: model.output,
    ...(mode === undefined ? {} : { mode }),
    deadlineSeconds,
    onUnclear: 'park',
    retryFailed,
    onFailure,
  };
}

async function loweredShot(shot: CheckedShot, modeOf: FreezeBatchOptions['modeOf']): Promise<LoweredRowShot> {
  const { model, mode, deadlineSeconds } = await rowShot(shot, modeOf);
  return { model, ...(mode === undefined ? {} : { mode }), deadlineSeconds };
}
