import { againCommand } from '../client/again-command';
import { createProductionRecords } from '../client/production-records';
import { type Dailies } from '../client/programs/dailies';
import { GENERATIONS } from '../contracts/identifiers';
import { createBatches, type Store } from '../store';
import { type Config } from '../workers/config';
import { openSession } from './session';
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
  return whatNext(store, productionId, { goesOn, isServed: !isStopped });
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

/**
 * What to type to see how a production goes on after an answer. What has ended is only looked at: rendered again, it would
 * pay anew for what failed.
 *
 * @param isServed whether something still runs that goes on with it.
 */
export async function whatNext(store: Store, productionId: string, { goesOn, isServed }: Next): Promise<string> {
  const isBatch = (await createBatches(store.records).begun(productionId)) !== undefined;
  if (isBatch) return `dailies batch status ${productionId}`;
  const records = createProductionRecords(store);
  if (goesOn && productionId !== GENERATIONS) {
    const { renderId } = (await records.begun(productionId)) ?? {};
    // Where it stops with this command, it may have come to its end before.
    const hasEnded = renderId !== undefined && (await records.archived(productionId))?.renderId === renderId;
    if (isServed || hasEnded) return `dailies status ${productionId}`;
  }
  return againCommand(store, { what: 'production', id: productionId });
}

interface Next {
  readonly goesOn: boolean;
  readonly isServed: boolean;
}
