import { type Dailies } from '../../client/programs/dailies';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { goingOnInWords } from './going-on';
import { openSession } from '../session/session';
import { tell } from '../process/streams';

/** An answer after this time is late: a live worker needs a second or two, even if it has to ask the gateway. */
const ANSWER_EXPECTED_MS = 10_000;

/**
 * Sends a person's answer to waiting shots. A worker checks the answer first. If no workflow waits for the answer, this
 * process checks it. A refused answer changes nothing.
 *
 * @param give sends the answer; `goesOn` is whether the production then continues by itself.
 * @returns a text for the person: whether the production continues, and the next command.
 */
export async function giveAnswer(
  config: Config,
  store: Store,
  productionId: string,
  give: (dailies: Dailies) => Promise<{ readonly goesOn: boolean }>,
): Promise<string> {
  const session = await openSession(config, store);
  let goesOn = false;
  let isStopped: boolean;
  try {
    ({ goesOn } = await tellIfLate(give(session.dailies)));
  } finally {
    isStopped = (await session.close()).stopped;
  }
  return goingOnInWords(store, productionId, { goesOn, isServed: !isStopped });
}

/** Prints a line if the worker's answer is late, for example because Temporal still lists a worker that has stopped. */
export async function tellIfLate<T>(answer: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    tell('Waiting for a worker to answer.');
  }, ANSWER_EXPECTED_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
