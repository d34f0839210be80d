import { creditsOf, inStore, manifestOf, publish, takesOf, waitForNotices, withoutPrice } from '../../client';
import { quoted } from '../../client/status/again-command';
import { withNewDriftWarnings } from '../../client/status/new-drift-warnings';
import { isAtRest, type ProductionStatus } from '../../contracts/status';
import { exactCredits } from '../../contracts/money/credits';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { INTERRUPTED_BEFORE, UP_GOES_ON } from './going-on';
import { type Interrupt } from '../process/interrupt';
import { followProduction } from '../progress/follow-production';
import { type Costs, printReport } from '../wording/report';
import { hasWorker, LEAVING, NO_WORKER, openSession, tellOfHeld } from '../session/session';
import { type ConnectSetOptions } from '../session/connect-set';
import { type Session } from '../session/open-session';
import { printJson, tell } from '../process/streams';
import { createOutFolders } from '../../client/records/out-folders';
import { openUnclear } from '../../client/records/unclear-submit';

export interface OutcomeOptions extends ConnectSetOptions {
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** False if the command ends as soon as the render has started. */
  readonly wait?: boolean;
}

/** A render that a command starts or continues. */
export interface Rendering {
  readonly productionId: string;
  /** Returns the command that continues the render. Called at the end: the production may have another file by then. */
  command(): Promise<string>;
  /** Starts the render and prints a line about the start. */
  begin(session: Session): Promise<void>;
  /** After an interrupted start: whether the store's last recorded render is of this version. */
  isRecorded(): Promise<boolean>;
}

/**
 * Starts a render. Unless `wait` is false, also shows its progress, and exports the files when the render has ended or
 * waits only for people.
 */
export async function renderToEnd(
  config: Config,
  store: Store,
  rendering: Rendering,
  interrupt: Interrupt,
  options: OutcomeOptions,
): Promise<ExitCode> {
  const { signal } = interrupt;
  const places = createOutFolders(store);
  // Read the folder before the render starts: another command may name another folder while the render runs.
  const folder = await places.folderOf(rendering.productionId, options.out);
  const chargedBefore = await chargedFor(store, config.account, rendering.productionId);
  const session = await openSession(config, store, options);
  const isAwaited = options.wait !== false;
  let last: ProductionStatus | undefined;
  let isServed = true;
  let mayHaveBegun = false;
  let ended: ExitCode | undefined;
  try {
    const onBegun = async (isSure: boolean): Promise<void> => {
      mayHaveBegun = true;
      if (options.out === undefined) return;
      // An interrupted start may be refused. The folder of a render of another version must stay.
      if (isSure || (await rendering.isRecorded())) {
        await store.outPlaces.noteFolder(rendering.productionId, folder);
      }
    };
    const begins = { ...rendering, onBegun };
    if (!signal.aborted) {
      ({ last, isServed } = await begun(session, begins, interrupt, options));
      mayHaveBegun = true;
    }
    if (isAwaited && last !== undefined && isAtRest(last)) {
      ended = await report(session, last, { folder, chargedBefore }, options);
    }
  } finally {
    const isLeaving = mayHaveBegun && (signal.aborted || !isAwaited) && ended === undefined;
    if (isLeaving && session.set !== null) tell(LEAVING);
    const { stopped } = await session.close();
    if (isLeaving) await tellHowToGoOn(rendering, { isAwaited, stopped, isServed });
  }
  if (ended !== undefined) return ended;
  if (!mayHaveBegun) tell(INTERRUPTED_BEFORE);
  if (options.json === true) {
    printJson(
      last === undefined
        ? { error: interruptedInWords(mayHaveBegun) }
        : await manifestOf(store, config.account, last, inStore(store)),
    );
  }
  return signal.aborted ? EXIT.interrupted : EXIT.completed;
}

function interruptedInWords(mayHaveBegun: boolean): string {
  if (!mayHaveBegun) return 'interrupted before the render was started';
  return "interrupted before the render's status was known; the render may have begun";
}

/**
 * Starts the render and returns its last known status. Unless `wait` is false, shows the progress first. Returns early
 * after an interrupt.
 */
async function begun(
  session: Session,
  rendering: Rendering & { onBegun(isSure: boolean): Promise<void> },
  { signal, interrupted }: Interrupt,
  { json, quiet, wait }: OutcomeOptions,
): Promise<Begun> {
  if ((await session.store.prunes.underWay()) !== undefined) {
    tell('A prune of the store is under way; the render begins when the prune has ended.');
  }
  // The start may wait long for a worker's answer, so an interrupt ends the wait.
  const start = rendering.begin(session).then(() => true);
  const isSure = await Promise.race([start, interrupted.then(() => false), session.lost]);
  // After an interrupt too: the render may have begun.
  await rendering.onBegun(isSure);
  if (signal.aborted) return { last: undefined, isServed: true };
  await tellOfHeld(session);
  const isServed = await hasWorker(session);
  if (!isServed) tell(NO_WORKER);
  const last =
    wait === false
      ? await session.client.status(rendering.productionId)
      : await followProduction(session, rendering.productionId, signal, {
          plain: json === true,
          quiet: quiet === true,
        });
  return { last, isServed };
}

interface Begun {
  readonly last: ProductionStatus | undefined;
  readonly isServed: boolean;
}

async function report(
  { config, store, set }: Session,
  status: ProductionStatus,
  { folder, chargedBefore }: { readonly folder: string; readonly chargedBefore: number },
  { json }: OutcomeOptions,
): Promise<ExitCode> {
  const { account, ffmpegPath } = config;
  if (set !== null) await waitForNotices(store, status);
  const published = await publish({ store, account, status, folder, ffmpegPath });
  if (json === true) printJson(published.manifest);
  else {
    const drifted = await withNewDriftWarnings(store, status, published.manifest);
    printReport(published, status, await costsOf(store, status, { account, chargedBefore }), drifted);
  }
  return status.state === 'completed' ? EXIT.completed : EXIT.incomplete;
}

async function costsOf(
  store: Store,
  { production }: ProductionStatus,
  { account, chargedBefore }: { readonly account: string; readonly chargedBefore: number },
): Promise<Costs> {
  const takes = [...(await takesOf(store, account, production)).values()].flat();
  const spent = exactCredits(creditsOf(takes).charged - chargedBefore);
  const undecided = takes.filter((take) => openUnclear(take) !== undefined).length;
  return { spent, withoutPrice: withoutPrice(takes), undecided };
}

async function chargedFor(store: Store, account: string, productionId: string): Promise<number> {
  return creditsOf([...(await takesOf(store, account, productionId)).values()].flat()).charged;
}

async function tellHowToGoOn(
  rendering: Rendering,
  {
    isAwaited,
    stopped,
    isServed,
  }: { readonly isAwaited: boolean; readonly stopped: boolean; readonly isServed: boolean },
): Promise<void> {
  const { productionId } = rendering;
  const again = quoted(await rendering.command());
  const look = `Look again with \`dailies status ${productionId}\` or ${again}.`;
  if (stopped && isAwaited) {
    tell(`Stopped. What was paid for is kept: ${again} goes on where this stopped.`);
  } else if (stopped) {
    tell(`Nothing runs now, and "${productionId}" waits; ${again} goes on with it. ${UP_GOES_ON}.`);
  } else {
    tell(`Detached; "${productionId}" goes on${isServed ? '' : ' once a worker runs'}. ${look}`);
  }
}
