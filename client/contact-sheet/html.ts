/** Markup that is safe to put into a page as it is. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = Html | string | number | null | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Tag of a template whose values are escaped, but for those that are markup already. Null leaves nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + markupOf(parts[index] ?? null)).join(''));
}

function markupOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(markupOf).join('');
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
