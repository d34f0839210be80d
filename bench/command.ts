import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DRILL_ACCOUNT, DRILL_KEY, type Stage } from '../drill/stage';

export const DAILIES = join(__dirname, '..', 'scripts', 'dailies.js');

/** Runs the command `dailies` and returns its stdout. @throws Error with its stderr if the command fails. */
export async function dailies(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = startNode([DAILIES, ...args], env);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (child.exitCode !== 0)
    throw new Error(`dailies ${args.join(' ')} ended with ${child.exitCode ?? 'a signal'}: ${stderr}`);
  return stdout;
}

/** Starts a Node program with only PATH and HOME of this process's environment. */
export function startNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess & { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream } {
  return spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The environment variables with which the command `dailies` works on a stage. */
export function environmentOf({ temporalAddress, sandbox, store }: Stage): Readonly<Record<string, string>> {
  return {
    TEMPORAL_ADDRESS: temporalAddress,
    DAILIES_STORE: store.folder,
    DAILIES_GATEWAY_URL: sandbox.url,
    DAILIES_GATEWAY_KEY: DRILL_KEY,
    DAILIES_GATEWAY_ACCOUNT: DRILL_ACCOUNT,
  };
}
