import { createProductionRecords, renderCommand, resumeProduction } from '../../client';
import { openStore } from '../../store';
import { readConfig } from '../../workers/config';
import { EXIT, type ExitCode } from '../exit-codes';
import { openSessionIfUp } from '../session';
import { standingOf } from '../standing';
import { tell } from '../streams';

/** Lets a paused production go on. Never brings anything up. */
export async function resume(productionId: string): Promise<ExitCode> {
  const config = readConfig();
  const store = await openStore(config.storeFolder);
  const session = await openSessionIfUp(config, store);
  try {
    const status = await standingOf(config, store, session, productionId);
    await resumeProduction(store, productionId, status);
    const source = await createProductionRecords(store).source(productionId);
    const next = session === undefined ? renderCommand(productionId, source?.path) : `dailies status ${productionId}`;
    tell(
      session === undefined
        ? `Resumed "${productionId}". Nothing runs now; \`${next}\` goes on with it.`
        : `Resumed "${productionId}"; it goes on. Look again with \`${next}\`.`,
    );
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}
