import { createProductionRecords, Refused, renderCommand } from '../client';
import { GENERATIONS } from '../contracts/identifiers';
import { type Store } from '../store';
import { type Config } from '../workers/config';
import { hasWorker, NO_WORKER, openSession, type Session } from './session';
import { tell } from './streams';

/** A worker that lives answers within a second or two, also where it has to ask the gateway. */
const ANSWER_EXPECTED_MS = 10_000;

/**
 * Gives a shot that waits for a person its answer. It is checked before it is taken; a refusal changes nothing.
 *
 * @param give says whether the production goes on by itself then.
 * @returns what to type to see how the production goes on.
 */
export async function giveAnswer(
  config: Config,
  store: Store,
  productionId: string,
  give: (session: Session) => Promise<{ readonly goesOn: boolean }>,
): Promise<string> {
  const session = await openSession(config, store);
  let goesOn = false;
  let isStopped: boolean;
  try {
    if (!(await hasWorker(session))) throw new Refused(`nothing is decided. ${NO_WORKER}`);
    ({ goesOn } = await tellWhereLate(give(session)));
  } finally {
    isStopped = (await session.close()).stopped;
  }
  return whatNext(store, productionId, goesOn && !isStopped);
}

/** Says so where a worker lets a person wait: Temporal lists one for a while after it has gone. */
export async function tellWhereLate<T>(answer: Promise<T>): Promise<T> {
  const isLate = setTimeout(() => {
    tell('Waiting for a worker to answer.');
  }, ANSWER_EXPECTED_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(isLate);
  }
}

/** What ended by itself is not to be rendered again: that would pay anew for what failed. */
async function whatNext(store: Store, productionId: string, goesOn: boolean): Promise<string> {
  if (goesOn && productionId !== GENERATIONS) return `dailies status ${productionId}`;
  const source = await createProductionRecords(store).source(productionId);
  return renderCommand(productionId, source?.path);
}
