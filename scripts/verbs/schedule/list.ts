import { type ScheduleView, storedSchedules, timesInWords } from '../../../client/schedules';
import { openOwnStore } from '../../../workers/store/own-store';
import { readConfig } from '../../process/command-config';
import { EXIT, type ExitCode } from '../../process/exit-codes';
import { table } from '../../../client/wording/table';
import { NOT_UP } from '../../wording/schedule-report';
import { openSessionIfUp } from '../../session/session';
import { print, printJson, tell } from '../../process/streams';

/** Lists the schedules of this store. Does not start Temporal. */
export async function list({ json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const session = await openSessionIfUp(config, store);
  try {
    const views = await (session?.client.schedules ?? storedSchedules(store, config.account, config.prices)).list();
    if (json === true) printJson(views);
    else if (views.length === 0) print(`There is no schedule in ${store.name}.`);
    else print(table(views.map((view) => [view.schedule, inWords(view)])));
    if (session === undefined && views.length > 0) tell(NOT_UP);
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}

function inWords(view: ScheduleView): string {
  const { state, nextTimes, runs } = view;
  const [next] = nextTimes;
  const [last] = runs;
  return [
    state,
    timesInWords(view),
    ...(next === undefined || state === 'paused' ? [] : [`next ${next}`]),
    ...(last === undefined ? [] : [`last ${last.production}: ${last.state}`]),
  ].join('  ');
}
