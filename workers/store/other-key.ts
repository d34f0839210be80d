import { shellWord } from '../../contracts/terminal-text';
import { type StoreView } from '../../store';
import { type Config, SANDBOX_ACCOUNT } from '../config/config';

type KeyConfig = Pick<Config, 'gateway' | 'account'>;

/** A key that differs from the account's recorded key: the key was replaced, or belongs to another tenant. */
export interface OtherKey {
  readonly words: string;
  /** The settings that resolve the difference. */
  readonly remedy: string;
  /** Records that the account has this key from now on. */
  readonly accept: () => Promise<void>;
}

/**
 * Reports a key that differs from the account's recorded key; undefined if the keys are equal, no key is recorded, or
 * the sandbox is used. If `notesFirst` is true, this function records an account's first key.
 *
 * Source: docs/decisions/0042-two-tenants.md.
 */
export async function otherKey(
  { gateway, account }: KeyConfig,
  store: Pick<StoreView, 'account'>,
  { notesFirst }: { readonly notesFirst: boolean },
): Promise<OtherKey | undefined> {
  // Each start of the embedded sandbox makes a new key.
  if (gateway === null || account === SANDBOX_ACCOUNT) return undefined;
  const key = gateway.key.reveal();
  const { keys } = store.account(account);
  const compared = await keys.compare(key);
  if (compared === 'new' && notesFirst) await keys.note(key);
  if (compared !== 'other') return undefined;
  return {
    words:
      `The gateway key is not the one that the account "${account}" was last used with: it was replaced, or belongs to ` +
      'another tenant of the gateway, whose takes would be mixed with those of this account.',
    remedy:
      `If the key was replaced, confirm the account: DAILIES_GATEWAY_ACCOUNT=${shellWord(account)}. ` +
      'If it belongs to another tenant, set DAILIES_GATEWAY_ACCOUNT to another name: an account of its own',
    accept: () => keys.note(key),
  };
}
