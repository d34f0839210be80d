import { createFindTraces } from './key-traces';

/** Characters of a foreign text that an error carries: enough for any real message, too few to flood a log. */
const EXCERPT_LENGTH = 2_000;

/** Characters that are searched for secrets; what lies behind is dropped, so that no body can stall a worker. */
const SEARCHED_LENGTH = 16_384;

/** The longest that the beginning of a key may be written without being a trace of it: at a cut these are dropped. */
const CUT_MARGIN = 256;

/** A shorter key, as of a sandbox, is a word that a result may hold by chance, and no secret. */
export const KEY_MIN_LENGTH = 16;

/** Whether a key is too short to be told from a word: it is not taken out of results and task ids. */
export function isShortKey(apiKey: string): boolean {
  return apiKey.length < KEY_MIN_LENGTH;
}

/** A text of the gateway as it may be shown, kept or logged: without secrets, and bounded. */
export type Redact = (text: string, maxLength?: number) => string;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // "Bearer token is missing" stays a sentence.
  [/\b(bearer)(?:\s+|%20)(?!(?:token|key|auth\w*|realm|scheme)\b)[^\s"',;<>\\]+/gi, '$1 [removed]'],
  [/(\bauthorization\\?"?\s*[:=]\s*\\?"?)(?:\w+\s+)?[^\s"',;<>\\]+/gi, '$1[removed]'],
  // User and password in an address, then the query and fragment of a signed one.
  [/(\bhttps?:\\?\/\\?\/)[^\s"'<>/@\\]+@/gi, '$1[removed]@'],
  [/(\bhttps?:\\?\/\\?\/[^\s"'<>?#]*)[?#][^\s"'<>]*/gi, '$1?[removed]'],
  // A file sent along and echoed. No word, id or hash is as long.
  [/[A-Za-z0-9+/_-]{120,}={0,2}/g, '[removed]'],
];

/**
 * Makes the function that takes secrets out of foreign text: traces of the key however they are written, Authorization
 * values, credentials and queries of addresses, long base64.
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

/** Makes the function that takes nothing but traces of the key out of a text, JSON too. */
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
 * Makes the function that says whether a task id gives the key away: it holds more than half of it. A key may begin with
 * an account's name or a token's header, which ids may hold as well; an id is kept as it is, since it is all that leads
 * to a task that is paid for.
 */
export function createGivesKeyAway(apiKey: string): (taskId: string) => boolean {
  if (isShortKey(apiKey)) return () => false;
  const findTraces = createFindTraces(apiKey, Math.floor(apiKey.length / 2) + 1);
  return (taskId) => findTraces(taskId).length > 0;
}
