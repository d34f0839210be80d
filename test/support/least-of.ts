/** The least time of several runs, in ms: for ratios within one test, since other processes slow down single runs. */
export async function leastOf(runs: number, work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < runs; run += 1) {
    const startMs = performance.now();
    await work();
    least = Math.min(least, performance.now() - startMs);
  }
  return least;
}
