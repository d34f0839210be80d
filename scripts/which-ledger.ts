import { dirname } from 'node:path';
import { createProductionRecords, isSameFile } from '../client/production-records';
import { Refused } from '../client/refused';
import { type Store, viewStore } from '../store';
import { findStore, storesAmong } from '../store/find-store';
import { type Config, SANDBOX_ACCOUNT } from '../workers/config';
import { nameTheStore, newLedgerInWords } from '../workers/new-ledger';
import { canAsk, confirm } from './confirm';
import { tell } from './streams';
import { surroundings } from './surroundings';

/** Names the store that is read, for a person who may have several. */
export function tellOfStore({ storePlace: { folder, exists } }: Config): void {
  tell(`Store: ${folder}${exists ? '' : ', which has nothing yet'}.`);
}

/** Says how the commands without a file find the store, if they would not find it from the working directory. */
export function tellHowToFindStore({ storePlace: { folder, from } }: Config): void {
  if (from === 'setting') return;
  const { cwd } = surroundings();
  if (findStore({ cwd, setting: undefined, file: undefined }).folder === folder) return;
  tell(
    `The store is ${folder}. Commands that name no file find it from ${dirname(folder)}, or by DAILIES_STORE=${folder}.`,
  );
}

/** What is to be rendered. */
export interface WhatIsRendered {
  readonly productionId: string;
  /** Of its file, absolute. */
  readonly path: string;
}

/** What would be paid for again, and the settings that say what is meant. */
interface Doubt {
  readonly words: string;
  readonly way: string;
}

/**
 * Asks before money is spent on a new ledger, or on a production that was paid for with another store or account.
 *
 * At a terminal it asks. Without one, a setting has to say that it is meant: DAILIES_STORE, or DAILIES_GATEWAY_ACCOUNT.
 *
 * @param rendered undefined for a single task, and for a batch.
 * @throws Refused
 */
export async function askBeforeSpending(config: Config, store: Store, rendered?: WhatIsRendered): Promise<void> {
  const newLedger = await newLedgerInWords(config);
  if (newLedger !== undefined) {
    await askOrRefuse(newLedger, config.storePlace.from === 'setting', nameTheStore(config));
  }
  if (rendered === undefined) return;
  const otherStore = await otherStoreInWords(config, store, rendered);
  if (otherStore !== undefined) await askOrRefuse(otherStore.words, false, otherStore.way);
  const otherAccount = await otherAccountInWords(config, store, rendered.productionId);
  if (otherAccount !== undefined) await askOrRefuse(otherAccount.words, config.accountIsNamed, otherAccount.way);
}

/** Says that a file was rendered with another store among the folders that were looked in, and never with this one. */
export async function otherStoreInWords(
  { gateway, storePlace: { folder, from, searched } }: Pick<Config, 'gateway' | 'storePlace'>,
  store: Pick<Store, 'records' | 'assets'>,
  { productionId, path }: WhatIsRendered,
): Promise<Doubt | undefined> {
  if (gateway === null || from === 'setting') return undefined;
  if ((await createProductionRecords(store).source(productionId)) !== undefined) return undefined;
  for (const other of storesAmong(searched)) {
    const known = other === folder ? undefined : await sourceIn(other, productionId);
    if (known === undefined || known.account === SANDBOX_ACCOUNT || !(await isSameFile(known.path, path))) continue;
    return {
      words:
        `"${productionId}" was rendered with the store ${other}, and never with ${folder}, which was found first: ` +
        'what is paid for there would be paid for again.',
      way: `To go on with that one: DAILIES_STORE=${other}. If this one is meant, say so: DAILIES_STORE=${folder}`,
    };
  }
  return undefined;
}

/** Undefined also where that store cannot be read. */
async function sourceIn(folder: string, productionId: string): ReturnType<ProductionSource> {
  try {
    return await createProductionRecords(await viewStore(folder)).source(productionId);
  } catch {
    return undefined;
  }
}

type ProductionSource = ReturnType<typeof createProductionRecords>['source'];

/** Says that a production was last paid for by another account, whose takes today's account does not see. */
export async function otherAccountInWords(
  { gateway, account }: Pick<Config, 'gateway' | 'account'>,
  store: Pick<Store, 'records' | 'assets'>,
  productionId: string,
): Promise<Doubt | undefined> {
  const last = (await createProductionRecords(store).source(productionId))?.account;
  // The sandbox's takes are worth nothing, and cost nothing.
  if (gateway === null || last === undefined || last === account || last === SANDBOX_ACCOUNT) return undefined;
  return {
    words:
      `"${productionId}" was last rendered by the account "${last}", and this is "${account}": ` +
      'what that account has paid for would be paid for again.',
    way:
      `If the gateway has only another address, keep the account: DAILIES_GATEWAY_ACCOUNT=${last}. ` +
      `If it is another account, say so: DAILIES_GATEWAY_ACCOUNT=${account}`,
  };
}

async function askOrRefuse(words: string, isMeant: boolean, way: string): Promise<void> {
  if (isMeant) {
    tell(words);
    return;
  }
  if (!canAsk()) throw new Refused(`${words} ${way}`);
  tell(`${words} ${way}.`);
  if (!(await confirm('Go on?'))) throw new Refused('nothing was sent');
}
