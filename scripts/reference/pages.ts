import { commandsReference } from './commands';
import { variablesReference } from './variables';

/** The text above this line is written by hand; the text below it by `npm run reference`. */
const MARKER = '<!-- Below this line: written by `npm run reference`. -->\n';

/** The pages of docs/ with a generated part, each with the function that generates the part. */
export const REFERENCE_PAGES: ReadonlyMap<string, () => string> = new Map([
  ['commands.md', commandsReference],
  ['variables.md', variablesReference],
]);

/** The page with its generated part replaced. */
export function withReference(page: string, reference: string): string {
  const end = page.indexOf(MARKER);
  if (end === -1) throw new Error(`The page lacks the line ${MARKER.trim()}`);
  return `${page.slice(0, end)}${MARKER}\n${reference}`;
}
