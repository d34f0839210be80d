import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type WorkflowHandle } from '@temporalio/client';
import { z } from 'zod';
import { AssetRef } from '../../contracts/asset';
import { type Store } from '../../store';

export interface WorkflowRun {
  readonly workflowId: string;
  readonly runId: string;
}

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/**
 * The record of an archived history. The history is an asset: its protobuf message as JSON, without loss, gzipped.
 * Temporal's `historyToJSON` is not used, as it needs all Temporal packages to share one copy of protobufjs.
 */
const Archived = z.looseObject({ workflowId: z.string(), runId: z.string(), asset: AssetRef });
export type Archived = z.infer<typeof Archived>;

/** Histories of a production's closed workflows, kept in the store because Temporal deletes them. */
export interface HistoryArchive {
  /** All archived histories of a production, sorted by run id. */
  list(production: string): Promise<readonly Archived[]>;
  has(production: string, runId: string): Promise<boolean>;
  put(production: string, run: WorkflowRun, history: History): Promise<void>;
  /** The history in its JSON form; undefined if its bytes are lost or altered. */
  read(archived: Archived): Promise<unknown>;
}

export function createHistoryArchive({ assets, records }: Pick<Store, 'assets' | 'records'>): HistoryArchive {
  const folder = (production: string): string => `productions/${production}/histories`;
  return {
    async list(production) {
      const runs = (await records.list(folder(production))).toSorted();
      return Promise.all(runs.map(async (run) => Archived.parse(await records.read(`${folder(production)}/${run}`))));
    },
    has: async (production, runId) => (await records.read(`${folder(production)}/${runId}`)) !== undefined,
    async put(production, { workflowId, runId }, history) {
      const bytes = await promisify(gzip)(JSON.stringify(history));
      const asset = await assets.putBytes(bytes, {
        mediaType: 'application/gzip',
        durationSeconds: null,
        width: null,
        height: null,
      });
      await records.create(`${folder(production)}/${runId}`, { workflowId, runId, asset });
    },
    async read({ asset }) {
      try {
        const json = await promisify(gunzip)(await readFile(assets.localPath(asset)));
        return JSON.parse(json.toString()) as unknown;
      } catch {
        return undefined;
      }
    },
  };
}
