const SHORTEST_MS = 50;
const LONGEST_MS = 500;

/**
 * Calls a function until it returns something. The test's timeout ends a wait without result.
 *
 * A synchronous function reads memory and repeats every 50 ms. An asynchronous one asks a server or the disk, so the
 * pause grows with the wait, up to 500 ms.
 */
export async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const began = Date.now();
  for (;;) {
    const looked = look();
    const found = await looked;
    if (found !== undefined && found !== false) return found;
    const pause = looked === found ? SHORTEST_MS : Math.min((Date.now() - began) / 8, LONGEST_MS);
    // An endless wait must not keep the process alive.
    await new Promise((resolve) => setTimeout(resolve, Math.max(SHORTEST_MS, pause)).unref());
  }
}
