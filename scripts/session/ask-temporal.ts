import { refuseUnknownTasks } from '../../client/books/unknown-tasks';
import { isRunning } from '../../client/renders';
import { connectTemporal, type TemporalConnection } from '../../client/temporal/connect';
import { refuseStale, staleInWords } from '../../client/temporal/latest-take';
import { storeIdOf, type StoreView, viewStore } from '../../store';
import { type Config } from '../../workers/config/config';
import { surroundings } from '../process/surroundings';

/**
 * Compares the ledger with the takes that a configured Temporal server knows. The embedded server is not asked. Its
 * database is in the store and is as old as the ledger, so it knows no more.
 */

/** Short, because a person waits, and some commands can also answer from the store alone. */
const CONNECT_WITHIN_MS = 3_000;

/**
 * A message if the ledger lacks the latest take that Temporal knows. Undefined if the ledger has this take, Temporal
 * knows none, no server is configured, or the store does not exist yet.
 *
 * @throws StoreError, TemporalUnreachable
 */
export function staleAtTemporal(config: Config): Promise<string | undefined> {
  return ask(config, (temporal, store) => staleInWords({ temporal, store, account: config.account }));
}

/**
 * Makes the checks of a render that need Temporal; none if no server is configured or the store does not exist yet.
 *
 * @throws StoreError, Refused, TemporalUnreachable
 */
export async function refuseAsRender(config: Config, productionId: string): Promise<{ readonly isLost: boolean }> {
  const isLost = await ask(config, async (temporal, store) => {
    const options = { temporal, store, account: config.account };
    await refuseStale(options);
    await refuseUnknownTasks(options, productionId);
    return !(await isRunning({ temporal, store }, productionId));
  });
  return { isLost: isLost === true };
}

/** @returns undefined if no server is configured or the store does not exist yet. */
async function ask<T>(
  { temporalAddress, storeFolder: folder }: Config,
  question: (
    temporal: TemporalConnection['client'],
    store: StoreView & { readonly id: string; readonly name: string },
  ) => Promise<T>,
): Promise<T | undefined> {
  if (temporalAddress === undefined) return undefined;
  const view = await viewStore(folder);
  const id = await storeIdOf(folder);
  if (id === undefined) return undefined;
  const connection = await connectTemporal({ env: surroundings().env, withinMs: CONNECT_WITHIN_MS });
  try {
    return await question(connection.client, { ...view, id, name: folder });
  } finally {
    await connection.close();
  }
}
