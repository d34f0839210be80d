import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Where the Temporal CLI comes from. The set-up fetches it, the embedded set starts it; both look here.
 *
 * The newest version that `go install` can build: later ones carry a `replace` directive in go.mod.
 */
export const TEMPORAL_CLI_MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';

/** For a person who has no Temporal server. */
export const TEMPORAL_CLI_MISSING =
  'No Temporal server was found. Any one of these is enough:\n' +
  '  - set TEMPORAL_ADDRESS to a server that runs;\n' +
  '  - install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH;\n' +
  '  - install Go 1.24 or newer, then run `npm run setup`, which builds the CLI.';

export interface TemporalCli {
  readonly path: string;
  readonly source: 'PATH' | 'cache';
}

/** The environment variables that this module looks at. */
export interface CliEnvironment {
  readonly PATH?: string | undefined;
  /** Moves the cache folder; default `~/.cache/dailies`. */
  readonly DAILIES_CACHE?: string | undefined;
}

/** Finds the Temporal CLI on PATH, else in the cache; undefined where there is none. */
export function findTemporalCli(env: CliEnvironment): TemporalCli | undefined {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, 'temporal');
    if (isExecutable(path)) return { path, source: 'PATH' };
  }
  const path = cachedTemporalCli(env);
  return isExecutable(path) ? { path, source: 'cache' } : undefined;
}

/** Where the set-up puts the CLI that it fetches. */
export function cachedTemporalCli(env: CliEnvironment): string {
  return join(env.DAILIES_CACHE || join(homedir(), '.cache', 'dailies'), 'bin', 'temporal');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
