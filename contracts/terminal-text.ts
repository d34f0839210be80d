/**
 * A text as it may stand within one line of a terminal: what would change the line, or the terminal, is an escape that
 * a person can read.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(UNSAFE, (character) => NAMES[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`);
}

/** Control characters, ends of lines and paragraphs, and what sets the direction of a text. Source: UAX #9. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
