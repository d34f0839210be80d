import { createFindTraces } from './key-traces';

/** Longest excerpt of foreign text in an error: enough for any real message, too short to flood a log. */
const EXCERPT_LENGTH = 2_000;

/** Number of characters that are searched for secrets. The rest is dropped, so that no body can stall a worker. */
const SEARCHED_LENGTH = 16_384;

/**
 * Number of characters before the cut at SEARCHED_LENGTH that are dropped too. They may contain the start of an encoded
 * key. A short start is not found as a trace.
 */
const CUT_MARGIN = 256;

/**
 * Length below which a key counts as a plain word, for example a sandbox's key. A result may contain a plain word by
 * chance.
 */
export const KEY_MIN_LENGTH = 16;

/** True if a key is too short to tell from a plain word. Results and task ids may contain such a key. */
export function isShortKey(apiKey: string): boolean {
  return apiKey.length < KEY_MIN_LENGTH;
}

/** Makes the gateway's text safe to show, keep or log: without secrets, and bounded. */
export type Redact = (text: string, maxLength?: number) => string;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Keeps a sentence such as "Bearer token is missing".
  [/\b(bearer)(?:\s+|%20)(?!(?:token|key|auth\w*|realm|scheme)\b)[^\s"',;<>\\]+/gi, '$1 [removed]'],
  [/(\bauthorization\\?"?\s*[:=]\s*\\?"?)(?:\w+\s+)?[^\s"',;<>\\]+/gi, '$1[removed]'],
  // User and password in an address, then query and fragment, which may be a signature.
  [/(\bhttps?:\\?\/\\?\/)[^\s"'<>/@\\]+@/gi, '$1[removed]@'],
  [/(\bhttps?:\\?\/\\?\/[^\s"'<>?#]*)[?#][^\s"'<>]*/gi, '$1?[removed]'],
  // An echoed file in base64. No word, id or SHA-256 hash is this long.
  [/[A-Za-z0-9+/_-]{120,}={0,2}/g, '[removed]'],
];

/**
 * Makes a function that removes secrets from foreign text: traces of the plain or encoded key, Authorization values,
 * credentials and queries of addresses, and long base64.
 */
export function createRedact(apiKey: string): Redact {
  const removeKey = createRemoveKey(apiKey);
  return (text, maxLength = EXCERPT_LENGTH) => {
    let clean = removeKey(text.slice(0, SEARCHED_LENGTH));
    if (text.length > SEARCHED_LENGTH) clean = clean.slice(0, -CUT_MARGIN);
    for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
    return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
  };
}

/** Makes a function that removes only traces of the key from a text, which may be JSON. */
export function createRemoveKey(apiKey: string): (text: string) => string {
  const findTraces = createFindTraces(apiKey);
  return (text) => {
    let clean = '';
    let last = 0;
    for (const [start, end] of findTraces(text)) {
      clean += `${text.slice(last, start)}[removed]`;
      last = end;
    }
    return clean + text.slice(last);
  };
}

/**
 * Makes a function that tells whether a task id contains more than half of the key. Always false for a short key.
 *
 * Less is allowed: a key may begin with an account's name or a token's header, which ids may contain too. The key
 * cannot be removed from an id, since the paid task can be read only by its unchanged id.
 */
export function createGivesKeyAway(apiKey: string): (taskId: string) => boolean {
  if (isShortKey(apiKey)) return () => false;
  const findTraces = createFindTraces(apiKey, Math.floor(apiKey.length / 2) + 1);
  return (taskId) => findTraces(taskId).length > 0;
}
