import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { accountFolder } from './account-folder';
import { type Records } from '../records';

/** A salted hash of an account's key, hexadecimal. The key cannot be recovered from it. */
const KeyFingerprint = z.looseObject({ salt: z.string(), fingerprint: z.string(), at: z.string() });

/** Long enough to tell two keys apart. Many keys share a fingerprint, so a match does not prove a guess. */
const FINGERPRINT_BYTES = 4;

const hash = promisify<string, string, number, Buffer>(scrypt);

/** Detects that an account's key has changed. Source: docs/decisions/0042-two-tenants.md. */
export interface KeyFingerprints {
  /** Compares a key with the recorded fingerprint; `new` if no valid fingerprint is recorded. */
  compare(key: string): Promise<'same' | 'other' | 'new'>;
  /** Records the fingerprint of the account's key. */
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
