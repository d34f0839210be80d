/** Records that are open at once, far below what any system allows a process. */
const AT_ONCE = 100;

/**
 * Processes many items, a hundred at a time: a store may hold 100,000 productions, and a process can open some thousand
 * files.
 */
export async function fewAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  }
  return results;
}
