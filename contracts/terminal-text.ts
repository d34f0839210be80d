/** Escapes characters that would break a line or control the terminal, so that a text fits on one line. */
export function escapeControls(text: string): string {
  return text.replaceAll(UNSAFE, (character) => NAMES[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`);
}

/** Escapes the same characters in a JSON text, except the line breaks between its tokens. The JSON keeps its value. */
export function escapeControlsInJson(json: string): string {
  return json.replaceAll(UNSAFE, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Control characters, line and paragraph separators, and marks of text direction. Source: UAX #9. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Quotes a word for a shell if needed. */
export function shellWord(word: string): string {
  return /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
