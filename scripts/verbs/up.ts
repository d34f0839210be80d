import { releaseAll } from '../../client';
import { shellWord } from '../../contracts/terminal-text';
import { type Config } from '../../workers/config/config';
import { type EmbeddedSet } from '../../workers/embedded/embedded-set';
import { setFiles } from '../../workers/embedded/set-files';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { exportRuns } from '../renders/export-runs';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { LEAVING, openSession, tellOfSandbox } from '../session/session';
import { table } from '../../client/wording/table';
import { print, tell } from '../process/streams';

const NO_UI =
  'The UI is not served: another command started this set without it. End that command, then run `dailies up --ui`.';
const NOT_OWN_SERVER = 'The UI is not served: TEMPORAL_ADDRESS names a server of your own, which has its own UI.';

export interface UpFlags {
  readonly ui?: boolean;
}

/**
 * Runs the embedded set until a signal. Meanwhile interrupted productions and batches continue, and ended runs of
 * schedules are exported.
 *
 * @throws EmbeddedSetFailed if the set is lost; the errors of `openSession`.
 */
export async function up({ ui = false }: UpFlags): Promise<ExitCode> {
  const config = readConfig();
  const { interrupted } = listenForInterrupt();
  tellOfSandbox(config);
  const session = await openSession(config, await openOwnStore(config), { up: true, ui });
  const { set } = session;
  if (set === null) return EXIT.failed;
  const leaving = new AbortController();
  let exporting: Promise<void> | undefined;
  try {
    const released = await releaseAll(session.store, config.account);
    if (released.length > 0) tell(`Going on with what was interrupted: ${released.join(', ')}.`);
    if (ui && set.uiUrl === null) tell(config.temporalAddress === undefined ? NO_UI : NOT_OWN_SERVER);
    printSet(config, set);
    exporting = exportRuns(config, session.store, leaving.signal);
    await Promise.race([interrupted, session.lost]);
    tell(LEAVING);
  } finally {
    leaving.abort();
    await exporting;
    const { stopped } = await session.close();
    tell(
      stopped
        ? 'Stopped. `dailies render FILE` goes on with what was interrupted.'
        : 'Other commands use the set, so it keeps running.',
    );
  }
  return EXIT.completed;
}

function printSet(config: Config, set: EmbeddedSet): void {
  const rows: [string, string][] = [
    ['Temporal', set.temporalAddress],
    ...(set.uiUrl === null ? [] : [['Temporal UI', set.uiUrl] satisfies [string, string]]),
    [config.gateway === null ? 'sandbox gateway' : 'gateway', set.gatewayUrl],
    ['account', config.account],
    ['store', config.storeFolder],
  ];
  print(['The embedded set is up. Ctrl-C ends it.', ...table(rows)]);
  if (config.temporalAddress === undefined) print(`For a worker of your own beside it: ${workerCommand(config, set)}`);
}

/** The command that starts another worker for the embedded set. */
function workerCommand(
  { gateway, account, storeFolder }: Config,
  { temporalAddress, gatewayUrl }: EmbeddedSet,
): string {
  const variables = {
    TEMPORAL_ADDRESS: temporalAddress,
    // If a gateway is configured, its variables are already set.
    ...(gateway === null
      ? {
          DAILIES_GATEWAY_URL: gatewayUrl,
          DAILIES_GATEWAY_KEY_FILE: setFiles(storeFolder).sandboxKey,
          DAILIES_GATEWAY_ACCOUNT: account,
        }
      : {}),
    DAILIES_STORE: storeFolder,
  };
  const set = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  return `${set.join(' ')} dailies worker`;
}
