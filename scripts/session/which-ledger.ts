import { dirname } from 'node:path';
import { shellWord } from '../../contracts/terminal-text';
import { Refused } from '../../client/wording/refused';
import { type Store, type StoreView, viewStore } from '../../store';
import { copyInWords } from '../../store/backup/copies';
import { findStore, storesAmong } from '../../store/backup/find-store';
import { type Config, SANDBOX_ACCOUNT } from '../../workers/config/config';
import { nameTheStore, newLedgerInWords } from '../../workers/store/new-ledger';
import { otherKey } from '../../workers/store/other-key';
import { canAsk, confirm } from '../process/confirm';
import { tell } from '../process/streams';
import { surroundings } from '../process/surroundings';
import { isSameFile } from '../../client/records/production-claim';

/** Names the store in use, because a person may have several, and warns if it is a copy. */
export async function tellOfStore({ storePlace: { folder, exists } }: Config): Promise<void> {
  tell(`Store: ${folder}${exists ? '' : ', which has nothing yet'}.`);
  const copy = await copyInWords(folder);
  if (copy !== undefined) tell(`${copy}.`);
}

/** If commands without a file would not find the store from the working directory, says how they find it. */
export function tellHowToFindStore({ storePlace: { folder, from } }: Config): void {
  if (from === 'setting') return;
  if (foundFromHere() === folder) return;
  tell(
    `The store is ${folder}. Commands that name no file find it from ${dirname(folder)}, or by DAILIES_STORE=${shellWord(folder)}.`,
  );
}

/**
 * The folder of the store that a search from the working directory finds. Undefined if the search finds a store that it
 * refuses, such as another user's.
 */
function foundFromHere(): string | undefined {
  try {
    return findStore({ cwd: surroundings().cwd, setting: undefined, file: undefined }).folder;
  } catch {
    return undefined;
  }
}

export interface WhatIsRendered {
  readonly productionId: string;
  /** Absolute path of the production's file. */
  readonly path: string;
}

/** A warning about paying again: `words` name the reason, `remedy` the settings to choose from. */
interface Doubt {
  readonly words: string;
  readonly remedy: string;
}

/**
 * Asks before money is spent in four cases: the ledger is new; the key has changed; the file was rendered with another
 * store; another account rendered the production last. Asks nothing if the sandbox is used.
 *
 * If DAILIES_STORE is set, prints the warning about a new ledger without asking, and does not look at other stores. If
 * DAILIES_GATEWAY_ACCOUNT is set, prints the warnings about another key or account without asking.
 *
 * @param rendered if undefined, other stores and other accounts are not checked.
 * @throws Refused if the person says no or cannot be asked; StoreError if the store is a copy.
 */
export async function askBeforeSpending(config: Config, store: Store, rendered?: WhatIsRendered): Promise<void> {
  await store.refuseCopy();
  await askAboutNewLedger(config);
  const key = await otherKey(config, store, { notesFirst: true });
  if (key !== undefined) {
    await askOrRefuse(key.words, config.accountIsNamed, key.remedy);
    await key.accept();
  }
  if (rendered === undefined) return;
  const otherStore = await otherStoreInWords(config, store, rendered);
  if (otherStore !== undefined) await askOrRefuse(otherStore.words, false, otherStore.remedy);
  const otherAccount = await otherAccountInWords(config, store, rendered.productionId);
  if (otherAccount !== undefined) await askOrRefuse(otherAccount.words, config.accountIsNamed, otherAccount.remedy);
}

/**
 * Asks before money is spent with a new ledger. With DAILIES_STORE, prints only a warning.
 *
 * @throws Refused if the person says no or cannot be asked.
 */
export async function askAboutNewLedger(config: Config): Promise<void> {
  const words = await newLedgerInWords(config);
  if (words !== undefined) await askOrRefuse(words, config.storePlace.from === 'setting', nameTheStore(config));
}

/**
 * For a plan: names the store, and prints the warnings about which `askBeforeSpending` would ask. Stores nothing.
 *
 * @param rendered if undefined, other stores and other accounts are not checked.
 */
export async function tellOfLedger(config: Config, store: StoreView, rendered?: WhatIsRendered): Promise<void> {
  const newLedger = await newLedgerInWords(config);
  if (newLedger === undefined) await tellOfStore(config);
  else tell(newLedger);
  const doubts = [
    rendered && (await otherStoreInWords(config, store, rendered)),
    rendered && (await otherAccountInWords(config, store, rendered.productionId)),
    await otherKey(config, store, { notesFirst: false }),
  ];
  for (const doubt of doubts) if (doubt !== undefined) tell(`${doubt.words} ${doubt.remedy}.`);
}

/** Returns a warning if another searched store has a render of this file, and this store has none of its id. */
async function otherStoreInWords(
  { gateway, storePlace: { folder, from, searched } }: Pick<Config, 'gateway' | 'storePlace'>,
  store: Pick<Store, 'productions'>,
  { productionId, path }: WhatIsRendered,
): Promise<Doubt | undefined> {
  if (gateway === null || from === 'setting') return undefined;
  if ((await store.productions.source(productionId)) !== undefined) return undefined;
  for (const other of storesAmong(searched)) {
    const known = other === folder ? undefined : await sourceIn(other, productionId);
    if (known === undefined || known.account === SANDBOX_ACCOUNT || !(await isSameFile(known.path, path))) continue;
    return {
      words:
        `"${productionId}" was rendered with the store ${other}, and never with ${folder}, which was found first: ` +
        'takes that the other store has paid for would be paid for again.',
      remedy: `To go on with the other store: DAILIES_STORE=${shellWord(other)}. To use this one, confirm it: DAILIES_STORE=${shellWord(folder)}`,
    };
  }
  return undefined;
}

/** The production's record in another store; undefined if there is none or the store cannot be read. */
async function sourceIn(folder: string, productionId: string): ReturnType<ProductionSource> {
  try {
    return await (await viewStore(folder)).productions.source(productionId);
  } catch {
    return undefined;
  }
}

type ProductionSource = Store['productions']['source'];

/** Returns a warning if another account rendered the production last: takes of that account are not reused. */
async function otherAccountInWords(
  { gateway, account }: Pick<Config, 'gateway' | 'account'>,
  store: Pick<Store, 'productions'>,
  productionId: string,
): Promise<Doubt | undefined> {
  const last = (await store.productions.source(productionId))?.account;
  // Takes of the sandbox cost nothing.
  if (gateway === null || last === undefined || last === account || last === SANDBOX_ACCOUNT) return undefined;
  return {
    words:
      `"${productionId}" was last rendered by the account "${last}", and the account is now "${account}": ` +
      'takes that the other account has paid for would be paid for again.',
    remedy:
      `If only the gateway's address has changed, keep the account: DAILIES_GATEWAY_ACCOUNT=${shellWord(last)}. ` +
      `If the new account is intended, confirm it: DAILIES_GATEWAY_ACCOUNT=${shellWord(account)}`,
  };
}

async function askOrRefuse(words: string, isConfirmed: boolean, way: string): Promise<void> {
  if (isConfirmed) {
    tell(words);
    return;
  }
  if (!canAsk()) throw new Refused(`${words} ${way}`);
  tell(`${words} ${way}.`);
  if (!(await confirm('Go on?'))) throw new Refused('nothing was sent');
}
