import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openAttachServer } from './attach-server';
import { openProcessRecord } from './process-record';
import { LockLost, TOUCH_INTERVAL_MS, takeLock } from './lock';
import { Part } from './part';
import type { Announcement } from './part-process';
import { identify } from './process-identity';
import type { SetPlan } from './set-plan';

/** A part that takes longer than this to stop is reported. */
const SLOW_STOP_MS = 2_000;
/** Size above which a log is renamed to `.old` when the set starts. */
const LOG_LIMIT_BYTES = 5_000_000;

/** Events of the supervisor's own process. */
export interface Surroundings {
  /** Resolves when the command that started the supervisor has disconnected or was killed. */
  readonly starterGone: Promise<void>;
  /** Resolves with the reason when the supervisor must end. */
  readonly terminated: Promise<string>;
}

/**
 * Owns the embedded set of one store: a worker, and possibly a Temporal server and a sandbox. Stops the set when the
 * last command has left, a part cannot be kept running, the lock is lost, or the supervisor is terminated.
 *
 * Resolves when every process of its set has ended and its lock is released. Starts nothing if another supervisor holds
 * the lock, or if no command holds the set any more: a set without a command would continue renders and pay for them.
 */
export async function supervise(plan: SetPlan, { starterGone, terminated }: Surroundings): Promise<void> {
  const self = identify(process.pid);
  if (self === undefined) throw new Error('The start time of this process cannot be read.');
  // Listen before taking the lock, so that any command that reads the lock can attach.
  const server = await openAttachServer(plan.identity, starterGone);
  if (server.isAbandoned()) return;
  const lock = await takeLock(plan.files.lock, { process: self, port: server.port, token: server.token });
  if (lock === undefined) return;
  // Taking over the lock may have taken half a minute, and the command may be gone by now.
  if (server.isAbandoned()) {
    await lock.release();
    return;
  }

  const record = await openProcessRecord(plan.files.processes);
  await mkdir(plan.files.logs, { recursive: true, mode: 0o700 });
  let giveUp: (reason: string) => void = () => undefined;
  const givenUp = new Promise<string>((resolve) => (giveUp = resolve));
  const touching = setInterval(() => {
    lock.touch().catch((error: unknown) => {
      // A disk error may pass before the next touch. A lost lock ends the set: otherwise two sets would use one store.
      if (error instanceof LockLost) giveUp(`The embedded set ends: ${error.message}.`);
    });
  }, TOUCH_INTERVAL_MS);
  const parts = await Promise.all(
    plan.parts.map(
      async (part) =>
        new Part(part, await logFile(plan.files.logs, part.name), {
          notice: (line) => {
            server.broadcast({ kind: 'notice', line });
          },
          started: (started) => {
            record.add(started);
          },
          givenUp: giveUp,
        }),
    ),
  );
  startInOrder(plan, parts)
    .then(async (announcement) => {
      await record.saved();
      server.announce(announcement);
    })
    .catch((error: unknown) => {
      giveUp(error instanceof Error ? error.message : String(error));
    });

  const reason = await Promise.race([server.abandoned, givenUp, terminated]);
  server.shut();
  if (typeof reason === 'string') server.broadcast({ kind: 'failed', reason });
  for (const part of parts.toReversed()) {
    const slow = setTimeout(() => {
      server.broadcast({ kind: 'notice', line: `${part.name}: finishes what it is doing` });
    }, SLOW_STOP_MS);
    await part.stop();
    clearTimeout(slow);
  }
  clearInterval(touching);
  await lock.release();
}

/** Starts each part after the parts that it needs have announced themselves. Merges all announcements. */
async function startInOrder(plan: SetPlan, parts: readonly Part[]): Promise<Announcement> {
  const starts = new Map<string, Promise<Announcement>>();
  for (const [index, part] of parts.entries()) {
    const before = (plan.parts[index]?.after ?? []).map((name) => starts.get(name) ?? Promise.resolve({}));
    starts.set(
      part.name,
      Promise.all(before).then((announcements) => part.start(merge(announcements))),
    );
  }
  return merge(await Promise.all(starts.values()));
}

function merge(announcements: readonly Announcement[]): Announcement {
  return Object.fromEntries(announcements.flatMap((announcement) => Object.entries(announcement)));
}

async function logFile(folder: string, part: string): Promise<string> {
  const file = join(folder, `${part}.log`);
  const sizeBytes = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (sizeBytes > LOG_LIMIT_BYTES) await rename(file, `${file}.old`);
  return file;
}
