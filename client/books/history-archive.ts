import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';
import { z } from 'zod';
import { AssetRef } from '../../contracts/asset';
import { type Store } from '../../store';
import { type History } from './history-facts';

/** Names a run of a workflow. */
export interface WorkflowRun {
  readonly workflowId: string;
  readonly runId: string;
}

/** The record of an archived history; the history itself is an asset, as Temporal's own JSON, gzipped. */
const Archived = z.looseObject({ workflowId: z.string(), runId: z.string(), asset: AssetRef });
export type Archived = z.infer<typeof Archived>;

/** Histories of a production's closed workflows, kept in the store for the time after Temporal has forgotten them. */
export interface HistoryArchive {
  /** All that are archived for a production, by run id. */
  list(production: string): Promise<readonly Archived[]>;
  has(production: string, runId: string): Promise<boolean>;
  put(production: string, run: WorkflowRun, history: History): Promise<void>;
  /** Undefined where its bytes are lost or altered. */
  read(archived: Archived): Promise<History | undefined>;
}

export function createHistoryArchive({ assets, records }: Store): HistoryArchive {
  const folder = (production: string): string => `productions/${production}/histories`;
  return {
    async list(production) {
      const runs = (await records.list(folder(production))).toSorted();
      return Promise.all(runs.map(async (run) => Archived.parse(await records.read(`${folder(production)}/${run}`))));
    },
    has: async (production, runId) => (await records.read(`${folder(production)}/${runId}`)) !== undefined,
    async put(production, { workflowId, runId }, history) {
      const bytes = await promisify(gzip)(historyToJSON(history));
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
        const text = (await promisify(gunzip)(await readFile(assets.localPath(asset)))).toString();
        return historyFromJSON(JSON.parse(text));
      } catch {
        return undefined;
      }
    },
  };
}
