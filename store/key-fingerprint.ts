import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { accountFolder } from './account-folder';
import { type Records } from './records';

/** A salted hash of an account's key, hexadecimal. The key cannot be recovered from it. */
const KeyFingerprint = z.looseObject({ salt: z.string(), fingerprint: z.string(), at: z.string() });

/**
 * Enough to tell keys apart, and too short to find a short key by trying, since many short keys have the same
 * fingerprint.
 */
const FINGERPRINT_BYTES = 4;

const hash = promisify<string, string, number, Buffer>(scrypt);

/** Tells whether an account's key is the one that was last used. Source: docs/decisions/0042-two-tenants.md. */
export interface KeyFingerprints {
  /** `new` if no key of the account is recorded. */
  compare(key: string): Promise<'same' | 'other' | 'new'>;
  note(key: string): Promise<void>;
}

export function createKeyFingerprints(records: Records, account: string): KeyFingerprints {
  const record = `${accountFolder(account)}/key`;
  return {
    async compare(key) {
      const noted = KeyFingerprint.safeParse(await records.read(record)).data;
      if (noted === undefined) return 'new';
      return (await fingerprintOf(key, noted.salt)) === noted.fingerprint ? 'same' : 'other';
    },
    async note(key) {
      const salt = randomBytes(16).toString('hex');
      await records.replace(record, {
        salt,
        fingerprint: await fingerprintOf(key, salt),
        at: new Date().toISOString(),
      });
    },
  };
}

async function fingerprintOf(key: string, salt: string): Promise<string> {
  return (await hash(key, salt, FINGERPRINT_BYTES)).toString('hex');
}
