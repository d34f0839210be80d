import { rm, writeFile } from 'node:fs/promises';
import { startSandbox } from '../sandbox';
import { runPart, type PartStart, type RunningPart } from './embedded/part-process';
import type { SandboxSettings } from './embedded/set-plan';

/** Runs the sandbox gateway as one process of the embedded set (`embedded/supervisor.ts`). */
runPart(startPart);

async function startPart({
  settings: { keyFile, ...settings },
  announced,
}: PartStart<SandboxSettings>): Promise<RunningPart> {
  const url = announced?.['DAILIES_GATEWAY_URL'];
  const sandbox = await startSandbox({
    ...settings,
    ...(url === undefined ? {} : { port: Number(new URL(url).port) }),
  });
  // Recreate the file, because an existing file would keep its owner and mode.
  await rm(keyFile, { force: true });
  await writeFile(keyFile, `${settings.apiKey}\n`, { mode: 0o600, flag: 'wx' });
  const announcement = { DAILIES_GATEWAY_URL: sandbox.url, DAILIES_GATEWAY_KEY: settings.apiKey };
  return { announcement, stop: () => sandbox.close() };
}
