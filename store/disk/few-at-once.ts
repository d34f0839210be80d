/** Number of items that are processed in parallel. Each may open files, and the number of open files is limited. */
const AT_ONCE = 100;

/** Processes items in parallel, `AT_ONCE` at a time, and returns the results in order. */
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
