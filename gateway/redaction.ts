/** Characters of a foreign text that an error carries: enough for any real message, too few to flood a log. */
const EXCERPT_LENGTH = 2_000;

/** Characters that are searched for secrets by pattern; what lies behind is dropped, so that no body can stall a worker. */
const SEARCHED_LENGTH = 16_384;

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
 * Makes the function that takes secrets out of foreign text: the key in each spelling that an echo may give it,
 * Authorization values, credentials and queries of addresses, long base64.
 */
export function createRedact(apiKey: string): Redact {
  const removeKey = createRemoveKey(apiKey);
  return (text, maxLength = EXCERPT_LENGTH) => {
    let clean = removeKey(text).slice(0, SEARCHED_LENGTH);
    for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
    return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
  };
}

/** Makes the function that takes nothing but the key out of a text, JSON too, in each spelling that an echo may give it. */
export function createRemoveKey(apiKey: string): (text: string) => string {
  const spellings = new Set([apiKey, encodeURIComponent(apiKey), JSON.stringify(apiKey).slice(1, -1)]);
  return (text) => [...spellings].reduce((clean, spelling) => clean.replaceAll(spelling, '[removed]'), text);
}
