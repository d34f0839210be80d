import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createProductionRecords, Refused, takesOf, unknownProduction } from '../../client';
import { didYouMean } from '../../client/wording/phrases';
import { absolute } from '../../client/wording/working-folder';
import { type Decision } from '../../contracts/decision';
import { GENERATIONS } from '../../contracts/identifiers';
import { type OutputKind } from '../../contracts/models';
import { isTaskId } from '../../gateway/addresses';
import { probe } from '../../media';
import { type AssetDescription, type Store } from '../../store';
import { openOwnStore } from '../../workers/own-store';
import { giveAnswer } from '../answer';
import { readConfig } from '../command-config';
import { EXIT, type ExitCode } from '../exit-codes';
import { resolveAll, type ResolveOptions } from '../resolve-all';
import { tell } from '../streams';

/** Decides how a parked shot continues. A worker checks the decision first; a refusal changes nothing. */
export async function resolve(
  productionId: string,
  shotId: string | undefined,
  options: ResolveOptions,
): Promise<ExitCode> {
  if (options.all === true || options.for !== undefined) {
    return resolveAll(productionId, shotId, options);
  }
  if (shotId === undefined) throw new Refused('say which shot, or --all --for unclear');
  const config = readConfig();
  const store = await openOwnStore(config);
  const output = await outputOf(store, config.account, { productionId, shotId });
  const decision = await decisionOf(output, options, store);
  const next = await giveAnswer(config, store, productionId, (dailies) =>
    dailies.resolve(productionId, shotId, decision, options.take),
  );
  tell(`Decided: ${decision.kind}. ${next}`);
  return EXIT.completed;
}

/** The output kind of the shot's newest take. @throws Refused if the shot has no take, so that it cannot be parked. */
async function outputOf(
  store: Store,
  account: string,
  { productionId, shotId }: { readonly productionId: string; readonly shotId: string },
): Promise<OutputKind> {
  const take = (await store.ledger.takes(productionId, shotId)).at(-1);
  if (take !== undefined) return take.intent.model.output;
  const ids = await createProductionRecords(store).ids();
  if (productionId !== GENERATIONS && !ids.includes(productionId)) throw unknownProduction(productionId, ids);
  const shots = [...(await takesOf(store, account, productionId)).keys()];
  throw new Refused(
    `"${productionId}" has no shot "${shotId}" that waits for anything; ` +
      `see \`dailies status ${productionId}\`.${didYouMean(shotId, shots)}`,
  );
}

async function decisionOf(output: OutputKind, options: ResolveOptions, store: Store): Promise<Decision> {
  const given = Object.entries(options).filter(([name, value]) => NAMES.includes(name) && value !== undefined);
  if (given.length !== 1) {
    const found =
      given.length === 0 ? 'there is none' : `there are ${given.map(([name]) => `--${name}`).join(' and ')}`;
    throw new Refused(`say one of --adopt TASK_ID, --resubmit, --skip, --use FILE, --wait; ${found}`);
  }
  if (options.adopt !== undefined) return { kind: 'adopt', taskId: checkedTaskId(options.adopt) };
  if (options.use !== undefined) return { kind: 'use', asset: await putOwn(options.use, output, store) };
  if (options.resubmit === true) return { kind: 'resubmit', ...(options.yes === true ? { unread: true } : {}) };
  return options.skip === true ? { kind: 'skip' } : { kind: 'wait' };
}

const NAMES = ['adopt', 'resubmit', 'skip', 'use', 'wait'];

function checkedTaskId(taskId: string): string {
  if (isTaskId(taskId)) return taskId;
  throw new Refused(`${JSON.stringify(taskId)} cannot be a task id; take it from the gateway's own list of tasks`);
}

/** Stores a person's own file as the output of the take. */
async function putOwn(file: string, wanted: OutputKind, store: Store): ReturnType<Store['assets']['putFile']> {
  const path = absolute(file);
  if (!existsSync(path)) throw new Refused(`${file} cannot be used: there is no such file`);
  const description = await (wanted === 'text' ? describeText(path) : describeOwn(path, file, wanted)).catch(
    (error: unknown) => {
      if (error instanceof Refused) throw error;
      throw new Refused(`${file} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    },
  );
  return store.assets.putFile(path, () => Promise.resolve(description));
}

async function describeOwn(path: string, file: string, wanted: OutputKind): Promise<AssetDescription> {
  const { kind, mediaType, durationSeconds, width, height } = await probe(path);
  if (kind !== wanted) throw new Refused(`${file} is ${mediaType}; the shot takes ${ONE_OF[wanted]}`);
  return { mediaType, durationSeconds, width, height };
}

async function describeText(path: string): Promise<AssetDescription> {
  new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  return { mediaType: 'text/plain', durationSeconds: null, width: null, height: null };
}

const ONE_OF: Readonly<Record<OutputKind, string>> = {
  video: 'a video',
  image: 'an image',
  audio: 'a sound',
  text: 'a text',
};
