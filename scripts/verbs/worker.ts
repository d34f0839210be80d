import { releaseAll } from '../../client';
import { refuseCopy } from '../../store/backup/copies';
import { main } from '../../workers/main';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { tell } from '../process/streams';

/**
 * Runs a worker until a signal. Once the worker is ready, interrupted productions and batches continue, and due runs of
 * schedules begin.
 */
export async function worker(): Promise<ExitCode> {
  const config = readConfig();
  await refuseCopy(config.storeFolder);
  await main(config, {
    async onReady() {
      const released = await releaseAll(await openOwnStore(config), config.account);
      if (released.length > 0) tell(`Going on with what was interrupted: ${released.join(', ')}.`);
    },
  });
  return EXIT.completed;
}
