import { type Dailies } from '../client/programs/dailies';
import { type Store } from '../store';
import { type Config } from '../workers/config';
import { goingOnInWords } from './going-on';
import { openSession } from './session';
import { tell } from './streams';

/** A worker that lives answers within a second or two, also where it has to ask the gateway. */
const ANSWER_EXPECTED_MS = 10_000;

/**
 * Gives a shot that waits for a person its answer. It is checked before it is taken; a refusal changes nothing.
 *
 * @param give says whether the production goes on by itself then.
 * @returns a sentence: whether the production goes on, and what to type.
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
    ({ goesOn } = await tellWhereLate(give(session.dailies)));
  } finally {
    isStopped = (await session.close()).stopped;
  }
  return goingOnInWords(store, productionId, { goesOn, isServed: !isStopped });
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
