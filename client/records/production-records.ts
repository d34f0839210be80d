import { readFile, realpath } from 'node:fs/promises';
import { z } from 'zod';
import { GENERATIONS, rowProductionId } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/plan';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { type Begun, begunRender, createBatches, fewAtOnce, noteRender, runOf, type Store } from '../../store';
import { Refused, unknownProduction } from '../wording/refused';
import { triggerAgainCommand } from '../wording/commands';

export type { Begun } from '../../store';

/** The file that a production was last rendered from, and the account. */
const Source = z.looseObject({ path: z.string(), account: z.string() });
export type Source = z.infer<typeof Source>;

/** The production that this one was forked from. `done` is true once all reused takes are recorded. */
const ForkRecord = z.looseObject({
  of: z.string(),
  /** The first shot that is not reused; null if all are. */
  from: z.string().nullable(),
  account: z.string(),
  at: z.string(),
  done: z.boolean(),
});
export type ForkRecord = z.infer<typeof ForkRecord>;

export interface ProductionClaim {
  readonly productionId: string;
  /** Absolute path of the production file; null if a program gave the production as an object. */
  readonly path: string | null;
  /** Whether the person named the id. Then the production may have been rendered from another file before. */
  readonly takeOver: boolean;
}

/** The store's records of productions, apart from their takes. */
export interface ProductionRecords {
  ids(): Promise<readonly string[]>;
  source(productionId: string): Promise<Source | undefined>;
  /**
   * The path of the file that it was last rendered from; null if a program gave it as an object, undefined if unknown.
   */
  origin(productionId: string): Promise<string | null | undefined>;
  /**
   * Only checks. The id belongs to the file once a render of it has begun.
   *
   * @throws Refused if the id is reserved, belongs to another file and is not taken over, or belongs to an unfinished
   * fork, whose render would pay for takes that the fork is to reuse.
   */
  checkClaim(claim: ProductionClaim): Promise<void>;
  /** @throws Refused if the production was never rendered. */
  checkKnown(productionId: string): Promise<void>;
  fork(productionId: string): Promise<ForkRecord | undefined>;
  /** Reserves an id for a fork, or for the same fork again if it is unfinished. False if the id is taken. */
  beginFork(productionId: string, fork: Omit<ForkRecord, 'done'>): Promise<boolean>;
  endFork(productionId: string, fork: Omit<ForkRecord, 'done'>): Promise<void>;
  /** Records that a render is about to begin, so that commands know it while Temporal is not running. */
  begin(productionId: string, begun: Begun): Promise<void>;
  begun(productionId: string): Promise<Begun | undefined>;
  /** The plan of a render; undefined if the render is older than plans, or the plan is lost. */
  plan(begun: Pick<Begun, 'plan'>): Promise<ProductionPlan | undefined>;
  /** The status with which the production last ended. */
  archived(productionId: string): Promise<ProductionStatus | undefined>;
  /**
   * Ids of the account's productions that have begun and whose end is not archived, sorted.
   *
   * @param batchId limits it to ids of this batch's rows.
   */
  interrupted(account: string, batchId?: string): Promise<readonly string[]>;
}

export function createProductionRecords({ records, assets }: Pick<Store, 'records' | 'assets'>): ProductionRecords {
  async function source(productionId: string): Promise<Source | undefined> {
    const { path, account, given } = (await begun(productionId)) ?? {};
    if (given === true) return undefined;
    if (path !== undefined && account !== undefined) return { path, account };
    // Older stores have a separate record.
    const record = await records.read(`productions/${productionId}/source`);
    return record === undefined ? undefined : Source.parse(record);
  }
  async function origin(productionId: string): Promise<string | null | undefined> {
    if ((await begun(productionId))?.given === true) return null;
    return (await source(productionId))?.path;
  }
  const begun = (productionId: string): Promise<Begun | undefined> => begunRender(records, productionId);
  async function archived(productionId: string): Promise<ProductionStatus | undefined> {
    // Written by our own activity with this type, or with its older form without choices.
    const status = (await records.read(`productions/${productionId}/status`)) as ProductionStatus | undefined;
    return status && { ...status, shots: status.shots.map(withChoice) };
  }
  async function fork(productionId: string): Promise<ForkRecord | undefined> {
    const record = await records.read(`productions/${productionId}/fork`);
    return record === undefined ? undefined : ForkRecord.parse(record);
  }
  async function checkClaim({ productionId, path, takeOver }: ProductionClaim): Promise<void> {
    if (productionId === GENERATIONS) {
      throw new Refused(
        `"${GENERATIONS}" is where \`dailies generate\` keeps its tasks; choose another name with --id`,
      );
    }
    if ((await createBatches(records).begun(productionId)) !== undefined) {
      throw new Refused(`"${productionId}" is a batch; give the production another name with --id`);
    }
    const half = await fork(productionId);
    if (half?.done === false) {
      throw new Refused(
        `"${productionId}" is half a fork; type first: dailies fork ${half.of} ${productionId}` +
          (half.from === null ? '' : ` --from ${half.from}`),
      );
    }
    const run = await runOf(records, productionId);
    if (run !== undefined) {
      throw new Refused(
        `"${productionId}" is a run of the schedule "${run.schedule}", rendered of what was frozen with that; ` +
          `\`${triggerAgainCommand(run.schedule, productionId)}\` renders it again`,
      );
    }
    const known = await origin(productionId);
    if (known === undefined || takeOver || known === path) return;
    if (known !== null && path !== null && (await isSameFile(known, path))) return;
    throw new Refused(
      `production "${productionId}" was last rendered from ${originInWords(known)}, and this is ${originInWords(path)}; ` +
        `give this one a name of its own with --id, or take over the old one with --id ${productionId}`,
    );
  }
  const ids = (): Promise<readonly string[]> => records.list('productions');
  return {
    ids,
    source,
    origin,
    begun,
    archived,
    checkClaim,
    async plan({ plan }) {
      if (plan === undefined || !(await assets.has(plan))) return undefined;
      // Written by our own client with this type.
      return JSON.parse(await readFile(assets.localPath(plan), 'utf8')) as ProductionPlan;
    },
    fork,
    async beginFork(productionId, { of, from, account, at }) {
      const known = await fork(productionId);
      if (known !== undefined)
        return !known.done && known.of === of && known.from === from && known.account === account;
      const names = [
        ...(await records.list(`productions/${productionId}`)),
        ...(await records.list(`ledger/${productionId}`)),
      ];
      if (names.length > 0) return false;
      const begun = { of, from, account, at, done: false };
      return records.create(`productions/${productionId}/fork`, begun);
    },
    endFork: (productionId, { of, from, account, at }) =>
      records.replace(`productions/${productionId}/fork`, { of, from, account, at, done: true }),
    async checkKnown(productionId) {
      const forked = await fork(productionId);
      if (((await begun(productionId)) ?? (await archived(productionId))) === undefined) {
        throw forked === undefined
          ? unknownProduction(productionId, await ids())
          : new Refused(
              `production "${productionId}" is a fork of "${forked.of}", and was not rendered yet; ` +
                `type: dailies render FILE --id ${productionId}`,
            );
      }
    },
    begin: (productionId, render) => noteRender(records, productionId, render),
    async interrupted(account, batchId) {
      const named = (await ids()).filter((id) => batchId === undefined || id.startsWith(rowProductionId(batchId, '')));
      const known = await fewAtOnce(named.toSorted(), async (id) => {
        const render = await begun(id);
        const isOpen = render?.account === account && (await archived(id))?.renderId !== render.renderId;
        return isOpen ? [id] : [];
      });
      return known.flat();
    },
  };
}

/** An older archived shot has no choice: its last take counts as chosen. */
function withChoice(shot: ShotStatus): ShotStatus {
  if ('filmTake' in shot) return shot;
  const { takes } = shot as ShotStatus;
  const last = takes.at(-1);
  return { ...(shot as ShotStatus), review: null, filmTake: last?.state === 'completed' ? last.take : null };
}

/** @param path null for an object. */
export function originInWords(path: string | null): string {
  return path ?? 'an object that a program gave';
}

/** Whether two paths lead to the same file, also through a symbolic link. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  try {
    return (await realpath(one)) === (await realpath(other));
  } catch {
    // One of the files does not exist.
    return false;
  }
}
