/**
 * The inside of a process that belongs to the embedded set: gets its settings, says when it is ready, ends with its parent.
 *
 * MAINTENANCE: keep in step with part.ts, which is the outside.
 */

/** Environment variables that a ready part gives to the parts that come after it. */
export type Announcement = Readonly<Record<string, string>>;

/** What the parent sends once, right after the start: by message, so that no secret stands in a process list. */
export interface PartStart<Settings> {
  readonly settings: Settings;
  /** What this part announced before it was started again: it has to come back at the same address. */
  readonly announced: Announcement | null;
}

/** What a part sends. `started` names a process that it started and that has to end with it. */
export type PartMessage = 'ready' | { readonly ready: Announcement } | { readonly started: number };

export interface RunningPart {
  readonly announcement: Announcement;
  stop(): Promise<void>;
}

/** Runs one part of the set as this process, until SIGTERM, or until the parent is gone. */
export function runPart<Settings>(start: (message: PartStart<Settings>) => Promise<RunningPart>): void {
  process.once('disconnect', endWithParent);
  const terminated = new Promise<void>((resolve) => process.once('SIGTERM', resolve));
  process.once('message', (message) => {
    run(start(message as PartStart<Settings>), terminated).catch(fail);
  });
}

/** Tells the parent something; nothing happens where there is no parent. */
export function tellParent(message: PartMessage): void {
  process.send?.(message);
}

/**
 * Ends this process and all that it has started, at once.
 *
 * A part leads a process group of its own. With the parent gone nobody waits for an orderly end, and the next set may
 * already want the same files, all of which survive a kill.
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
