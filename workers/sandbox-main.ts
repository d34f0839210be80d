import { startSandbox, type SandboxOptions } from '../sandbox';
import { runPart, type PartStart, type RunningPart } from './embedded/part-process';

/** The sandbox gateway as a part of the embedded set. By hand it is started with `dailies sandbox`. */
runPart(startPart);

async function startPart({ settings, announced }: PartStart<SandboxOptions>): Promise<RunningPart> {
  const url = announced?.['DAILIES_GATEWAY_URL'];
  const sandbox = await startSandbox({
    ...settings,
    ...(url === undefined ? {} : { port: Number(new URL(url).port) }),
  });
  return { announcement: { DAILIES_GATEWAY_URL: sandbox.url }, stop: () => sandbox.close() };
}
