/**
 * Replaces the text between two marks of a page: `<!-- name -->` and `<!-- end of name -->`.
 *
 * @throws Error if a mark is missing, or the marks are in the wrong order.
 */
export function withSection(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no place for ${name}: add ${begin}, then ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
