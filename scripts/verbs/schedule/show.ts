import { storedSchedules } from '../../../client/schedules';
import { openOwnStore } from '../../../workers/store/own-store';
import { readConfig } from '../../process/command-config';
import { EXIT, type ExitCode } from '../../process/exit-codes';
import { NOT_UP, printSchedule, tellWhenItFires } from '../../wording/schedule-report';
import { openSessionIfUp } from '../../session/session';
import { tell } from '../../process/streams';

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
