import { againCommand, endPause, quoted } from '../../client';
import { findPausable } from '../../client/dailies/find-pausable';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { hasWorker, openSessionIfUp } from '../session/session';
import { tell } from '../process/streams';

/** Resumes a paused production or batch. Starts nothing. */
export async function resume(id: string): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  await store.refuseCopy();
  const session = await openSessionIfUp(config, store);
  try {
    const pausable = await findPausable({ ...config, store, client: session?.client }, id);
    await endPause(store, id, pausable);
    const what = pausable?.what ?? 'production';
    const look = quoted(`dailies status ${id}`);
    if (session === undefined) {
      tell(`Resumed "${id}". Nothing runs now; ${quoted(await againCommand(store, { what, id }))} goes on with it.`);
    } else if (await hasWorker(session)) {
      tell(`Resumed "${id}"; it goes on. Look again with ${look}.`);
    } else {
      tell(`Resumed "${id}". It goes on when a worker runs; none runs now. Look again with ${look}.`);
    }
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}
