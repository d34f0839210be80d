const SHORTEST_MS = 50;
const LONGEST_MS = 500;

/**
 * Looks again and again until there is something to see; the test's own time-out ends a vain wait.
 *
 * A look at what is in memory is free and repeats every 50 ms. A look that is a promise asks a server or the disk: the
 * longer the wait has been in vain, the longer the pause, up to 500 ms.
 */
export async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const began = Date.now();
  for (;;) {
    const looked = look();
    const found = await looked;
    if (found !== undefined && found !== false) return found;
    const pause = looked === found ? SHORTEST_MS : Math.min((Date.now() - began) / 8, LONGEST_MS);
    // A vain wait must not keep the process alive.
    await new Promise((resolve) => setTimeout(resolve, Math.max(SHORTEST_MS, pause)).unref());
  }
}
