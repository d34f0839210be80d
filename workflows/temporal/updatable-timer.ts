import { CancellationScope, sleep } from '@temporalio/workflow';
import { nowMs } from './clock';

/**
 * A timer that keeps the earliest time set, because each Temporal timer adds two events to the history. `ring` may be
 * called before the time set last.
 */
export interface UpdatableTimer {
  set(atMs: number): void;
}

export function openUpdatableTimer(ring: () => void): UpdatableTimer {
  let atMs = Infinity;
  let scope = new CancellationScope();
  return {
    set(wantedMs) {
      if (wantedMs >= atMs) return;
      scope.cancel();
      scope = new CancellationScope();
      atMs = wantedMs;
      const own = scope;
      scope
        .run(() => sleep(Math.max(1, wantedMs - nowMs())))
        .then(
          () => {
            if (own === scope) atMs = Infinity;
            ring();
          },
          () => undefined,
        );
    },
  };
}
