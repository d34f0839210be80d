import { storedSchedules } from '../../../client/schedules';
import { openOwnStore } from '../../../workers/own-store';
import { readConfig } from '../../command-config';
import { EXIT, type ExitCode } from '../../exit-codes';
import { NOT_UP, printSchedule, tellWhenItFires } from '../../schedule-report';
import { openSessionIfUp } from '../../session';
import { tell } from '../../streams';

/** Shows the state of a schedule. Starts nothing. */
export async function show(name: string, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const session = await openSessionIfUp(config, store);
  try {
    printSchedule(
      await (session?.client.schedules ?? storedSchedules(store, config.account, config.prices)).show(name),
      json,
    );
    if (session === undefined) tell(NOT_UP);
    else await tellWhenItFires(session);
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}
