import { beginPause } from '../../client';
import { findPausable } from '../../client/dailies/find-pausable';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { openSessionIfUp } from '../session/session';
import { tell } from '../process/streams';

const BY_HAND = 'by hand';

/** Pauses a production or batch: nothing new is bought until it is resumed. Starts no process. */
export async function pause(id: string, { reason = BY_HAND }: { reason?: string }): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  await store.refuseCopy();
  const session = await openSessionIfUp(config, store);
  try {
    const pausable = await findPausable({ ...config, store, client: session?.client }, id);
    await beginPause(store, id, pausable, reason);
    tell(
      `Paused "${id}": nothing new is bought, and what runs at the gateway is collected. ` +
        `\`dailies resume ${id}\` goes on with it.`,
    );
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}
