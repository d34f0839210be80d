import { CancellationScope, sleep } from '@temporalio/workflow';
import { nowMs } from './clock';

/**
 * One timer. Only an earlier time replaces its time, since each timer costs two events. So it may ring before the time
 * that was set last.
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
