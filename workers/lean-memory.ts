import { setFlagsFromString } from 'node:v8';

/**
 * Garbage, as a percentage of live data, that V8 allows before it collects the old generation. If the machine has free
 * memory, V8's default is up to three times the live data.
 */
const GARBAGE_PERCENT = 30;

/**
 * Environment of a worker's process; glibc reads it at the start. Temporal's native core has a thread per processor.
 * With this value glibc keeps freed memory in two arenas, not in up to eight per processor.
 */
export const LEAN_MALLOC = { MALLOC_ARENA_MAX: '2' };

/** Makes this process, and every thread that it starts later, collect garbage early. For worker processes. */
export function keepHeapLean(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
}
