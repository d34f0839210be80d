import { z } from 'zod';
import { GENERATIONS, rowProductionId } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { type Assets, readJson } from '../assets';
import { Begun } from './begun-render';
import { fewAtOnce } from '../disk/few-at-once';
import { ifReadable, type Records } from '../records';
import { LEDGER } from '../ledger/take-address';

/** Folder of the records of productions. */
export const PRODUCTIONS = 'productions';

/** The file of a production's last render, and the account that paid. */
const Source = z.looseObject({ path: z.string(), account: z.string() });
export type Source = z.infer<typeof Source>;

/** The origin of a fork. `done` is true once all reused takes are recorded. */
const ForkRecord = z.looseObject({
  /** Id of the production that was forked. */
  of: z.string(),
  /** The first shot that is not reused; null if all shots are reused. */
  from: z.string().nullable(),
  account: z.string(),
  at: z.string(),
  done: z.boolean(),
});
export type ForkRecord = z.infer<typeof ForkRecord>;

const Ended = z.looseObject({ renderId: z.string() });

/** The records of productions, except takes. */
export interface Productions {
  ids(): Promise<readonly string[]>;
  source(productionId: string): Promise<Source | undefined>;
  /**
   * The path of the file of the last render; null if a program gave the production as an object, undefined if unknown.
   */
  origin(productionId: string): Promise<string | null | undefined>;
  fork(productionId: string): Promise<ForkRecord | undefined>;
  /**
   * Reserves an id for a fork. True also if the same fork has reserved the id and is unfinished; false if the id is
   * taken.
   */
  beginFork(productionId: string, fork: Omit<ForkRecord, 'done'>): Promise<boolean>;
  endFork(productionId: string, fork: Omit<ForkRecord, 'done'>): Promise<void>;
  /** Records that a render is about to begin, so that commands know of it while Temporal is not running. */
  begin(productionId: string, begun: Begun): Promise<void>;
  /**
   * Like `begin`, for the production's first render. False if a render was recorded before; then nothing is recorded.
   */
  beginFirst(productionId: string, begun: Begun): Promise<boolean>;
  begun(productionId: string): Promise<Begun | undefined>;
  /** The plan of a render; undefined if an older version began the render, or if the plan is lost. */
  plan(begun: Pick<Begun, 'plan'>): Promise<ProductionPlan | undefined>;
  /** Stores the status with which a production ended. */
  archive(status: ProductionStatus): Promise<void>;
  /** The status with which the production last ended. */
  archived(productionId: string): Promise<ProductionStatus | undefined>;
  /** The id of the render that ended last. */
  endedRender(productionId: string): Promise<string | undefined>;
  /**
   * Ids of the account's productions that have begun and whose end is not archived, sorted. Includes productions with
   * unreadable records, whatever their account.
   *
   * @param batchId limits the result to ids that rows of this batch may have. Other productions may have such ids too.
   */
  interrupted(account: string, batchId?: string): Promise<readonly string[]>;
  /** Records that a person was warned of a take's color drift. False if that was recorded before. */
  noteDriftWarning(productionId: string, shotId: string, takeNumber: number): Promise<boolean>;
}

export function createProductions(records: Records, assets: Assets): Productions {
  const keyOf = (productionId: string, name: string): string => `${PRODUCTIONS}/${productionId}/${name}`;
  // The folder GENERATIONS is not a production: it has the histories of single tasks.
  const ids = async (): Promise<readonly string[]> =>
    (await records.list(PRODUCTIONS)).filter((id) => id !== GENERATIONS);
  async function begun(productionId: string): Promise<Begun | undefined> {
    const record = await records.read(keyOf(productionId, 'render'));
    return record === undefined ? undefined : Begun.parse(record);
  }
  async function source(productionId: string): Promise<Source | undefined> {
    const { path, account, given } = (await begun(productionId)) ?? {};
    if (given === true) return undefined;
    if (path !== undefined && account !== undefined) return { path, account };
    // Older stores have a separate record.
    const record = await records.read(keyOf(productionId, 'source'));
    return record === undefined ? undefined : Source.parse(record);
  }
  async function fork(productionId: string): Promise<ForkRecord | undefined> {
    const record = await records.read(keyOf(productionId, 'fork'));
    return record === undefined ? undefined : ForkRecord.parse(record);
  }
  async function archived(productionId: string): Promise<ProductionStatus | undefined> {
    // Not validated: only our own activity writes the status. Older versions wrote it without choices.
    const status = (await records.read(keyOf(productionId, 'status'))) as ProductionStatus | undefined;
    return status && { ...status, shots: status.shots.map(withChoice) };
  }

  return {
    ids,
    source,
    async origin(productionId) {
      if ((await begun(productionId))?.given === true) return null;
      return (await source(productionId))?.path;
    },
    fork,
    async beginFork(productionId, { of, from, account, at }) {
      const existing = await fork(productionId);
      if (existing !== undefined)
        return !existing.done && existing.of === of && existing.from === from && existing.account === account;
      const names = [
        ...(await records.list(`${PRODUCTIONS}/${productionId}`)),
        ...(await records.list(`${LEDGER}/${productionId}`)),
      ];
      if (names.length > 0) return false;
      return records.create(keyOf(productionId, 'fork'), { of, from, account, at, done: false });
    },
    endFork: (productionId, { of, from, account, at }) =>
      records.replace(keyOf(productionId, 'fork'), { of, from, account, at, done: true }),
    begin: (productionId, render) => records.replace(keyOf(productionId, 'render'), render),
    beginFirst: (productionId, render) => records.create(keyOf(productionId, 'render'), render),
    begun,
    async plan({ plan }) {
      if (plan === undefined || !(await assets.has(plan))) return undefined;
      // Not validated: only our own code writes the plan.
      return (await readJson(assets, plan)) as ProductionPlan;
    },
    archive: (status) => records.replace(keyOf(status.production, 'status'), status),
    archived,
    async endedRender(productionId) {
      const record = await records.read(keyOf(productionId, 'status'));
      return record === undefined ? undefined : Ended.parse(record).renderId;
    },
    async interrupted(account, batchId) {
      const candidates = (await ids()).filter(
        (id) => batchId === undefined || id.startsWith(rowProductionId(batchId, '')),
      );
      const open = await fewAtOnce(candidates.toSorted(), async (id) => {
        const isOpen = await ifReadable(async () => {
          const render = await begun(id);
          return render?.account === account && (await archived(id))?.renderId !== render.renderId;
        });
        // A production with unreadable records may have been interrupted.
        return isOpen?.value === false ? [] : [id];
      });
      return open.flat();
    },
    noteDriftWarning: (productionId, shotId, takeNumber) =>
      records.create(keyOf(productionId, `drift-told/${shotId}-${takeNumber}`), { at: new Date().toISOString() }),
  };
}

/** Adds the choice that a shot of an older version lacks: its last take, if that take has completed. */
function withChoice(shot: ShotStatus): ShotStatus {
  if ('filmTake' in shot) return shot;
  const { takes } = shot as ShotStatus;
  const last = takes.at(-1);
  return { ...(shot as ShotStatus), review: null, filmTake: last?.state === 'completed' ? last.take : null };
}
