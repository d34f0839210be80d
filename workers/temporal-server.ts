import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { entryPoint } from './embedded/entry-point';
import type { PartMessage, PartStart } from './embedded/part-process';

/** Settings of the Temporal dev server that the guard process (temporal-main.ts) starts. */
export interface TemporalServerSettings {
  /** Path of the Temporal CLI. */
  readonly cli: string;
  /** Absent: the server loses everything when it stops. */
  readonly databaseFile?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Whether to serve Temporal's UI, on a free port; see guarded-ui.ts. @default false */
  readonly ui?: boolean;
}

export interface TemporalServer {
  /** Host and port of the gRPC frontend. */
  readonly address: string;
  /** Null if no UI is served. */
  readonly uiUrl: string | null;
  /** Pid of the server, not of its guard. */
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a Temporal dev server on 127.0.0.1 and waits until it answers.
 *
 * The server ends with this process, even if this process is killed.
 *
 * @throws Error if the server does not start. The message names the log file.
 */
export async function startTemporalServer(
  options: TemporalServerSettings & { readonly logFile: string },
): Promise<TemporalServer> {
  const { logFile, ...settings } = options;
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a');
  const guard = spawn(process.execPath, [entryPoint('temporal-main')], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const ended = once(guard, 'exit');
  let pid = 0;
  const ready = new Promise<Extract<PartMessage, { ready: unknown }>['ready']>((resolve) => {
    guard.on('message', (message: PartMessage) => {
      if (typeof message !== 'object') return;
      if ('started' in message) pid = message.started;
      else resolve(message.ready);
    });
  });
  guard.send({ settings, announced: null } satisfies PartStart<TemporalServerSettings>);
  const announcement = await Promise.race([ready, ended.then(() => undefined)]);
  if (announcement === undefined) throw new Error(`The Temporal server did not start; see ${logFile}.`);
  return {
    address: announcement['TEMPORAL_ADDRESS'] ?? '',
    uiUrl: announcement['TEMPORAL_UI_URL'] ?? null,
    pid,
    stop: async () => {
      guard.kill('SIGTERM');
      await ended;
    },
  };
}
