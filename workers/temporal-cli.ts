import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * The Go package of the Temporal CLI. `npm run setup` builds the CLI from it if no CLI can be downloaded.
 *
 * This is the newest version that `go install` can build: later versions have a `replace` directive in go.mod.
 */
export const TEMPORAL_CLI_MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';

export const TEMPORAL_CLI_MISSING =
  'No Temporal server was found. Any one of these is enough:\n' +
  '  - set TEMPORAL_ADDRESS to a server that runs;\n' +
  '  - install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH;\n' +
  '  - install Go 1.24 or newer, then run `npm run setup`, which downloads or builds the CLI.';

export interface TemporalCli {
  readonly path: string;
  readonly source: 'PATH' | 'cache';
}

export interface CliEnvironment {
  readonly PATH?: string | undefined;
  /** The cache folder. Default: `~/.cache/dailies`. */
  readonly DAILIES_CACHE?: string | undefined;
}

/** Finds the Temporal CLI on PATH, else in the cache; undefined if there is none. */
export function findTemporalCli(env: CliEnvironment): TemporalCli | undefined {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, 'temporal');
    if (isExecutable(path)) return { path, source: 'PATH' };
  }
  const path = cachedTemporalCli(env);
  return isExecutable(path) ? { path, source: 'cache' } : undefined;
}

/** Path of the CLI that `npm run setup` downloads or builds. */
export function cachedTemporalCli(env: CliEnvironment): string {
  return join(env.DAILIES_CACHE || join(homedir(), '.cache', 'dailies'), 'bin', 'temporal');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
