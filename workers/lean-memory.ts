import { setFlagsFromString } from 'node:v8';

/**
 * Percent of what is live that V8 lets gather as garbage before it collects the old generation. By its own reckoning,
 * where the machine has memory to spare, it is up to three times what is live.
 */
const GARBAGE_PERCENT = 30;

/**
 * For the environment of a worker's process, as glibc reads it at the start: native code, which is Temporal's core and
 * has a thread for each processor, then keeps what it frees for two groups of threads in place of eight a processor.
 */
export const LEAN_MALLOC = { MALLOC_ARENA_MAX: '2' };

/** Has this process, and every thread that it starts from now on, collect garbage early; for a process that is a worker. */
export function keepHeapLean(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
}
