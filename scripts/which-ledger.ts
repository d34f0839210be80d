import { dirname } from 'node:path';
import { createProductionRecords } from '../client/production-records';
import { Refused } from '../client/refused';
import { type Store } from '../store';
import { findStore } from '../store/find-store';
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

/**
 * Asks before money is spent on a new ledger, or on a production that another account has paid for.
 *
 * At a terminal it asks. Without one, a setting has to say that it is meant: DAILIES_STORE, or DAILIES_GATEWAY_ACCOUNT.
 *
 * @param productionId what is to be rendered; undefined for a single task.
 * @throws Refused
 */
export async function askBeforeSpending(config: Config, store: Store, productionId?: string): Promise<void> {
  const newLedger = await newLedgerInWords(config);
  if (newLedger !== undefined) {
    await askOrRefuse(newLedger, config.storePlace.from === 'setting', nameTheStore(config));
  }
  const otherAccount = productionId === undefined ? undefined : await otherAccountInWords(config, store, productionId);
  if (otherAccount !== undefined) await askOrRefuse(otherAccount.words, config.accountIsNamed, otherAccount.way);
}

/** Says that a production was last paid for by another account, whose takes today's account does not see. */
export async function otherAccountInWords(
  { gateway, account }: Pick<Config, 'gateway' | 'account'>,
  store: Pick<Store, 'records' | 'assets'>,
  productionId: string,
): Promise<{ readonly words: string; readonly way: string } | undefined> {
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
