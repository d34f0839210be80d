import { type Schedules } from '../../../client/schedules';
import { openOwnStore } from '../../../workers/store/own-store';
import { readConfig } from '../../process/command-config';
import { EXIT, type ExitCode } from '../../process/exit-codes';
import { openSession } from '../../session/session';
import { type Session } from '../../session/open-session';
import { printJson, tell } from '../../process/streams';
import { askBeforeSpending } from '../../session/which-ledger';

/** The outcome of a change: `words` for a person, `facts` for a program. */
export interface Done {
  readonly words: string;
  readonly facts: object;
  /** Whether work was started that continues after the command has ended. */
  readonly hasBegun?: boolean;
}

/**
 * Changes a schedule and prints the outcome.
 *
 * @param maySpend if true, `askBeforeSpending` first warns or asks if the ledger is new or the key has changed.
 */
export async function changeSchedule(
  json: boolean | undefined,
  change: (schedules: Schedules) => Promise<Done>,
  { maySpend = false }: { readonly maySpend?: boolean } = {},
): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  if (maySpend) await askBeforeSpending(config, store);
  const session = await openSession(config, store);
  try {
    const { words, facts, hasBegun } = await change(session.client.schedules);
    if (json === true) printJson(facts);
    tell(words);
    if (hasBegun === true) tellHowWorkContinues(session);
    return EXIT.completed;
  } finally {
    await session.close();
  }
}

function tellHowWorkContinues({ set }: Session): void {
  if (set?.started === true)
    tell('The embedded set ran for this command alone. `dailies up` starts it again and continues the work.');
}
