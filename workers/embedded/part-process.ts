/**
 * A part is one process of the embedded set. This module runs in the part: it receives the settings, reports that the
 * part is ready, and ends the part together with its parent.
 *
 * MAINTENANCE: keep in step with part.ts, which runs in the parent.
 */

/** Environment variables that a ready part passes to the parts that start after it, and to attached commands. */
export type Announcement = Readonly<Record<string, string>>;

/**
 * The parent's only message, sent right after the start. It is a message, not an argument, so that no secret is in the
 * process list.
 */
export interface PartStart<Settings> {
  readonly settings: Settings;
  /** The part's announcement before a restart; null at the first start. A restarted part must keep its address. */
  readonly announced: Announcement | null;
}

/** A part's message. `started` is the pid of a process that the part started and that must end with the part. */
export type PartMessage = 'ready' | { readonly ready: Announcement } | { readonly started: number };

export interface RunningPart {
  readonly announcement: Announcement;
  stop(): Promise<void>;
}

/** Runs one part of the set as this process, until SIGTERM or until the parent is gone. */
export function runPart<Settings>(start: (message: PartStart<Settings>) => Promise<RunningPart>): void {
  process.once('disconnect', endWithParent);
  const terminated = new Promise<void>((resolve) => process.once('SIGTERM', resolve));
  process.once('message', (message) => {
    run(start(message as PartStart<Settings>), terminated).catch(fail);
  });
}

/** Sends the parent a message. Does nothing without a parent. */
export function tellParent(message: PartMessage): void {
  process.send?.(message);
}

/**
 * Kills this process and its process group. A part leads a group of its own.
 *
 * Without the parent, nothing waits for an orderly end, and the next set may need the same files. A kill does not
 * damage the files.
 */
export function endWithParent(): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.exit(1);
  }
}

async function run(starting: Promise<RunningPart>, terminated: Promise<void>): Promise<void> {
  const part = await starting;
  tellParent({ ready: part.announcement });
  await terminated;
  await part.stop();
  process.exit(0);
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
