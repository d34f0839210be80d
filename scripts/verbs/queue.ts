import { type QueueView, queueView } from '../../client';
import { openStore } from '../../store';
import { readConfig } from '../../workers/config';
import { EXIT, type ExitCode } from '../exit-codes';
import { table } from '../report';
import { hasWorker, NO_WORKER, openSessionIfUp } from '../session';
import { print, printJson, tell } from '../streams';

/** Shows what waits for its turn at the gateway. It brings nothing up. */
export async function queue({ json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  const session = await openSessionIfUp(config, await openStore(config.storeFolder));
  try {
    const isServed = session !== undefined && (await hasWorker(session));
    if (session !== undefined && !isServed) tell(NO_WORKER);
    const view = isServed ? await session.dailies.queue() : queueView(undefined);
    if (json === true) printJson(view);
    else print(inWords(view).join('\n'));
  } finally {
    await session?.close();
  }
  return EXIT.completed;
}

function inWords(view: QueueView): readonly string[] {
  if (view.waiting.length === 0) {
    return [`Nothing waits; ${view.inFlight} tasks are in flight by what the arbiter knows.`];
  }
  const rows = view.waiting.map(
    ({ production, shot, take, model, priority, since, waitsFor }, index) =>
      [
        `${index + 1}. ${production}/${shot}`,
        `take ${take} of ${model}, ${priority}, since ${since}: ${waitsFor}`,
      ] as const,
  );
  return [`${view.waiting.length} wait, the next one first; ${view.inFlight} tasks are in flight.`, ...table(rows)];
}
