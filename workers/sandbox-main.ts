import { rm, writeFile } from 'node:fs/promises';
import { startSandbox } from '../sandbox';
import { runPart, type PartStart, type RunningPart } from './embedded/part-process';
import type { SandboxSettings } from './embedded/set-plan';

/** The sandbox gateway as a part of the embedded set. By hand it is started with `dailies sandbox`. */
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
  // Anew, so that it is nobody else's: a file that is there keeps its mode.
  await rm(keyFile, { force: true });
  await writeFile(keyFile, `${settings.apiKey}\n`, { mode: 0o600, flag: 'wx' });
  const announcement = { DAILIES_GATEWAY_URL: sandbox.url, DAILIES_GATEWAY_KEY: settings.apiKey };
  return { announcement, stop: () => sandbox.close() };
}
