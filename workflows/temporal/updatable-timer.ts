import { CancellationScope, sleep } from '@temporalio/workflow';
import { nowMs } from './clock';

/**
 * A timer that calls `ring` at the earliest time set. Later times are ignored, because each Temporal timer adds two
 * events to the history. So after `ring`, the caller sets the next time.
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
