/** Looks again and again until there is something to see; the test's own time-out ends a vain wait. */
export async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    // A vain wait must not keep the process alive.
    await new Promise((resolve) => setTimeout(resolve, 50).unref());
  }
}
