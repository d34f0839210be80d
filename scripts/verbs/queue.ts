import { counted } from '../../contracts/counted';
import { type QueueView, queueView } from '../../client/temporal/limits';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { table } from '../../client/wording/table';
import { NO_WORKER, openSessionIfUp } from '../session/session';
import { print, printJson, tell } from '../process/streams';

const NOT_KNOWN = 'No worker that keeps the queue is running, so it is not known which takes wait.';

/** Shows the takes that wait to be submitted. Starts no process. */
export async function queue({ json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  const session = await openSessionIfUp(config, await openOwnStore(config));
  try {
    const view = session === undefined ? queueView(false, undefined) : await session.dailies.queue();
    if (session !== undefined && !view.hasWorker) tell(NO_WORKER);
    if (json === true) printJson(view);
    else print(view.hasWorker ? [...whatWaits(view), ...whatIsNotKnown(view)] : NOT_KNOWN);
  } finally {
    await session?.close();
  }
  return EXIT.completed;
}

function whatWaits({ waiting, inFlight, isLearning }: QueueView): readonly string[] {
  // `whatIsNotKnown` says how many wait.
  if (waiting.length === 0 && isLearning) return [];
  // The account's arbiter rechecks the tasks in flight only while takes wait, so the number may be old.
  if (waiting.length === 0) return [`Nothing waits; ${tasks(inFlight, 'was', 'were')} when the arbiter last looked.`];
  const rows = waiting.map(
    ({ production, shot, take, model, priority, since, waitsFor }, index) =>
      [
        `${index + 1}. ${production}/${shot}`,
        `take ${take} of ${model}, ${priority}, since ${since}: ${waitsFor}`,
      ] as const,
  );
  const waits = counted(waiting.length, 'take waits', 'takes wait, the next one first');
  return [`${waits}; ${tasks(inFlight, 'is', 'are')}.`, ...table(rows)];
}

function tasks(inFlight: number, one: string, more: string): string {
  return `${counted(inFlight, `task ${one}`, `tasks ${more}`)} in flight`;
}

function whatIsNotKnown({ isLearning, asking, trouble, unreadable }: QueueView): readonly string[] {
  const waits = counted(asking, 'take waits', 'takes wait');
  const learning = `The ledger is being read for running tasks. Until that is done no submit is allowed; ${waits}.`;
  const lost = `The outcome of these takes is unknown, since their records are lost or cut short: ${unreadable.join(', ')}.`;
  return [
    ...(isLearning ? [learning] : []),
    ...(trouble === null ? [] : [`The last try to read the ledger failed: ${trouble}`]),
    ...(unreadable.length === 0 ? [] : [lost]),
  ];
}
