import { accountHash } from './take-key';

/** Folder of what is kept of gateway accounts. */
export const ACCOUNTS = 'accounts';

/** Where the records of one account lie. */
export function accountFolder(account: string): string {
  return `${ACCOUNTS}/${accountHash(account)}`;
}
