import { accountHash } from '../ledger/take-key';

/** Folder with the records of gateway accounts. */
export const ACCOUNTS = 'accounts';

export function accountFolder(account: string): string {
  return `${ACCOUNTS}/${accountHash(account)}`;
}
