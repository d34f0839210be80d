import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { AssetRef } from '../../contracts/asset';
import { type Assets } from '../assets';
import { PRODUCTIONS } from './productions';
import { isDamaged, type Records } from '../records';

/** Identifies a run of a workflow. */
export interface WorkflowRun {
  readonly workflowId: string;
  readonly runId: string;
}

/**
 * The record of an archived history. The asset is the history's protobuf message as gzipped JSON, without loss.
 * Temporal's `historyToJSON` is not used, since it needs all Temporal packages to share one copy of protobufjs.
 */
const ArchivedHistory = z.looseObject({ workflowId: z.string(), runId: z.string(), asset: AssetRef });
export type ArchivedHistory = z.infer<typeof ArchivedHistory>;

/**
 * Histories of closed workflows, each under the id of its production or batch. Those of single tasks
 * (`dailies generate`) are under `generations`. They are archived because Temporal deletes them after its retention
 * period.
 */
export interface Histories {
  /** Sorted by run id, without damaged records. */
  list(production: string): Promise<readonly ArchivedHistory[]>;
  /** False also if the record is damaged. */
  has(production: string, runId: string): Promise<boolean>;
  /** Archives the history, unless the archive has it. Replaces a damaged record. */
  put(production: string, run: WorkflowRun, history: object): Promise<void>;
  /** The history as JSON; undefined if its bytes are lost, altered or unreadable. */
  read(archived: ArchivedHistory): Promise<unknown>;
}

export function createHistories(records: Records, assets: Assets): Histories {
  const folder = (production: string): string => `${PRODUCTIONS}/${production}/histories`;

  async function find(production: string, runId: string): Promise<ArchivedHistory | undefined> {
    try {
      const record = await records.read(`${folder(production)}/${runId}`);
      return record === undefined ? undefined : ArchivedHistory.parse(record);
    } catch (error) {
      if (isDamaged(error)) return undefined;
      throw error;
    }
  }
  const has = async (production: string, runId: string): Promise<boolean> =>
    (await find(production, runId)) !== undefined;

  return {
    has,
    async list(production) {
      const runs = (await records.list(folder(production))).toSorted();
      return (await Promise.all(runs.map((run) => find(production, run)))).filter((found) => found !== undefined);
    },
    async put(production, { workflowId, runId }, history) {
      const bytes = await promisify(gzip)(JSON.stringify(history));
      const asset = await assets.putBytes(bytes, {
        mediaType: 'application/gzip',
        durationSeconds: null,
        width: null,
        height: null,
      });
      const key = `${folder(production)}/${runId}`;
      const record = { workflowId, runId, asset };
      if (!(await records.create(key, record)) && !(await has(production, runId))) await records.replace(key, record);
    },
    async read({ asset }) {
      try {
        return JSON.parse((await promisify(gunzip)(await assets.readBytes(asset))).toString()) as unknown;
      } catch {
        return undefined;
      }
    },
  };
}
