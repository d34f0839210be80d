import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { enterSet } from './enter-set';
import { entryPoint } from './entry-point';
import { EmbeddedSetEnded, EmbeddedSetFailed } from './errors';
import { readHolder } from './lock';
import { isHere } from './process-identity';
import { planSet, type EmbeddedOptions, type SetPlan } from './set-plan';
import type { EmbeddedSet, Hold } from './embedded-set';

/** Covers the longest stop of a set (the sum of its parts' `graceMs`) and a usual start of the next set. */
const ATTACH_LIMIT_MS = 240_000;
const POLL_INTERVAL_MS = 50;
/**
 * Maximum number of supervisors to start. A supervisor that ends at once has usually lost the lock to another
 * supervisor. If this many end, something else is wrong.
 */
const SUPERVISOR_ATTEMPTS = 5;

export interface AttachOptions extends EmbeddedOptions {
  readonly onNotice?: (line: string) => void;
  /** Attaches only to a set that runs. If the set is being stopped, waits until it has stopped. @default false */
  readonly startsNone?: boolean;
}

/**
 * Attaches to the store's embedded set (a worker and its servers), and starts the set if it is not running.
 *
 * @throws EmbeddedSetMismatch if the running set serves another gateway, account or Temporal server.
 * @throws EmbeddedSetFailed if the set does not start, or if the Temporal CLI is needed and missing.
 * @throws EmbeddedSetEnded with `startsNone`, if no set runs.
 */
export async function attachEmbedded(options: AttachOptions): Promise<EmbeddedSet> {
  const plan = planSet(options);
  const { facts, ...hold } = await attachToSet(plan, options.onNotice, options);
  return {
    ...hold,
    temporalAddress: options.temporalAddress ?? facts['TEMPORAL_ADDRESS'] ?? '',
    uiUrl: facts['TEMPORAL_UI_URL'] ?? null,
    gatewayUrl: options.gatewayUrl ?? facts['DAILIES_GATEWAY_URL'] ?? '',
    sandboxKey: facts['DAILIES_GATEWAY_KEY'] ?? null,
  };
}

export async function attachToSet(
  plan: SetPlan,
  onNotice: (line: string) => void = () => undefined,
  { startsNone = false }: Pick<AttachOptions, 'startsNone'> = {},
): Promise<Hold> {
  const noticeOnce = once(onNotice);
  const giveUpAt = Date.now() + ATTACH_LIMIT_MS;
  let supervisor: ChildProcess | undefined;
  try {
    for (let attempts = 0; Date.now() < giveUpAt;) {
      const holder = await readHolder(plan.files.lock);
      if (holder !== undefined) {
        const started = holder.process.pid === supervisor?.pid;
        const entered = await enterSet(holder, { identity: plan.identity, starter: started }, onNotice);
        if (entered !== undefined) return { ...entered, started };
        noticeOnce(
          isHere(holder.process)
            ? 'Waiting for the previous embedded set to stop.'
            : 'Waiting for the embedded set of another machine or container to leave this store.',
        );
      } else if (startsNone) {
        throw new EmbeddedSetEnded();
      } else if (supervisor === undefined || supervisor.exitCode !== null || supervisor.signalCode !== null) {
        if (attempts === SUPERVISOR_ATTEMPTS) break;
        attempts += 1;
        supervisor = startSupervisor(plan);
      }
      await delay(POLL_INTERVAL_MS);
    }
    throw new EmbeddedSetFailed(`The embedded set did not come up; see ${plan.files.logs}.`);
  } finally {
    // After `disconnect`, the supervisor ends if no command has attached to it, since no command would need its set.
    if (supervisor?.connected === true) supervisor.disconnect();
  }
}

/** Starts a supervisor that outlives this process. */
function startSupervisor(plan: SetPlan): ChildProcess {
  mkdirSync(plan.files.logs, { recursive: true, mode: 0o700 });
  const log = openSync(join(plan.files.logs, 'supervisor.log'), 'a', 0o600);
  const supervisor = spawn(process.execPath, [entryPoint('embedded/supervisor-main')], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  supervisor.unref();
  // Send the plan as a message, not as an argument: the parts' environments contain keys. Ignore errors: the caller
  // notices if the supervisor has ended.
  supervisor.send(plan, () => undefined);
  return supervisor;
}

function once(notice: (line: string) => void): (line: string) => void {
  let given = false;
  return (line) => {
    if (!given) notice(line);
    given = true;
  };
}
