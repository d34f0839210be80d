import { relative } from 'node:path';
import {
  type KnownProduction,
  knownProduction,
  type Proposal,
  proposeRetake,
  type Retake,
} from '../../client/directing';
import { formatIssues, placeOf } from '../../client/production-file';
import { type ShotChanges } from '../../client/freeze/changed-shot';
import { workingFolder } from '../../client/wording/working-folder';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { openOwnStore } from '../../workers/store/own-store';
import { carryOut, type CarryOutOptions, type Wording } from '../renders/carry-out';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { VerbFailed } from '../process/run-verb';
import { tell } from '../process/streams';

export interface RetakeOptions extends CarryOutOptions {
  readonly prompt?: string;
  readonly set?: readonly string[];
  readonly model?: string;
}

/** Prints the cost of another take and the shots that become stale. If the person agrees, makes the take. */
export async function retake(productionId: string, shotId: string, options: RetakeOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  return retakeOf(config, store, await knownProduction(store, config.account, productionId), shotId, options);
}

/** Like `retake`, for a production that the caller has looked up. */
export async function retakeOf(
  config: Config,
  store: Store,
  known: KnownProduction,
  shotId: string,
  options: RetakeOptions,
): Promise<ExitCode> {
  const { proposal, wording } = await proposedRetake(config, store, known, shotId, options);
  return carryOut(config, store, proposal, wording, options);
}

/**
 * Plans another take, with its cost and the shots that become stale. Prints how to make the change permanent.
 *
 * @throws VerbFailed if the changes are invalid.
 */
export async function proposedRetake(
  config: Config,
  store: Store,
  known: KnownProduction,
  shotId: string,
  { prompt, set, model }: Pick<RetakeOptions, 'prompt' | 'set' | 'model'>,
): Promise<{ readonly proposal: Proposal; readonly wording: Wording }> {
  const { account, prices } = config;
  const quotes = store.account(account).quotes(prices);
  const changes: ShotChanges = { prompt, model, settings: set ?? [] };
  const proposal = await proposeRetake({ store, account, quotes, policy: config }, known, shotId, changes);
  if ('issues' in proposal) throw new VerbFailed(EXIT.refused, formatIssues(proposal.issues));
  await tellWhatLasts(store, proposal, shotId);
  const wording = {
    question: `Take "${shotId}" again?`,
    asksAlways: true,
    done: `Noted: "${shotId}" is taken again${proposal.changed.length === 0 ? '' : ` with another ${proposal.changed.join(', ')}`}.`,
  };
  return { proposal, wording };
}

/**
 * Prints the places in the file where a person can make the change permanent. Otherwise the change is lost when the
 * shot is edited in the file.
 */
async function tellWhatLasts(store: Store, { productionId, changed }: Retake, shotId: string): Promise<void> {
  const source = await store.productions.source(productionId);
  if (source === undefined) return;
  const places = await Promise.all(
    changed.map(async (name) => [name, await placeOf(source.path, shotId, name)] as const),
  );
  const known = places.flatMap(([name, place]) =>
    place === undefined ? [] : [`${name} at ${relative(workingFolder(), place)}`],
  );
  if (known.length > 0) tell(`To make the change permanent, change the file too: ${known.join(', ')}.`);
}
