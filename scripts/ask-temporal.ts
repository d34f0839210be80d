import { refuseUnknownTasks } from '../client/books/unknown-tasks';
import { connectTemporal, type TemporalConnection } from '../client/connect';
import { refuseStale, staleInWords } from '../client/latest-take';
import { type StoreView, viewStore } from '../store';
import { storeIdOf } from '../store/store';
import { type Config } from '../workers/config';
import { surroundings } from './surroundings';

/**
 * What a Temporal server that runs elsewhere knows of the store. The embedded one is not asked: it keeps its records in the
 * store itself, so that they are as old as the ledger.
 *
 * Verbs that look load this only if such a server is configured.
 */

/** A person waits, and what the store knows is shown without it too. */
const CONNECT_WITHIN_MS = 3_000;

/** Says which take the ledger lacks that was sent with it; undefined if it lacks none. @throws TemporalUnreachable */
export function staleAtTemporal(config: Config): Promise<string | undefined> {
  return ask(config, (temporal, store) => staleInWords({ temporal, store, account: config.account }));
}

/** @throws StoreError and Refused as a render of the production; TemporalUnreachable */
export async function refuseAsRender(config: Config, productionId: string): Promise<void> {
  await ask(config, async (temporal, store) => {
    const options = { temporal, store, account: config.account };
    await refuseStale(options);
    await refuseUnknownTasks(options, productionId);
  });
}

/** @returns undefined if no server is configured, or no store is there yet. */
async function ask<T>(
  { temporalAddress, storeFolder: folder }: Config,
  question: (
    temporal: TemporalConnection['client'],
    store: StoreView & { readonly id: string; readonly folder: string },
  ) => Promise<T>,
): Promise<T | undefined> {
  if (temporalAddress === undefined) return undefined;
  const view = await viewStore(folder);
  const id = await storeIdOf(view.records, folder);
  if (id === undefined) return undefined;
  const connection = await connectTemporal({ env: surroundings().env, withinMs: CONNECT_WITHIN_MS });
  try {
    return await question(connection.client, { ...view, id, folder });
  } finally {
    await connection.close();
  }
}
