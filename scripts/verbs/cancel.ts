import { counted } from '../../contracts/counted';
import { Refused } from '../../client';
import { settle, type Settlement } from '../../client/books';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { followProduction } from '../progress/follow-production';
import { tellOfMoved, withoutPriceInWords } from '../wording/report';
import { table } from '../../client/wording/table';
import { hasWorker, NO_WORKER, openSession, tellOfHeld, whenCancelled } from '../session/session';
import { type Session } from '../session/open-session';
import { print, printJson, tell } from '../process/streams';
import { checkWasRendered } from '../../client/records/production-claim';
import { createOutFolders } from '../../client/records/out-folders';
import { publish } from '../../client/output/out-folder';
import { exportCommand } from '../../client/wording/commands';
import { type ProductionStatus } from '../../contracts/status';

export interface CancelOptions {
  /** False if the command ends once the cancellation is sent. */
  readonly wait: boolean;
  readonly json?: boolean;
}

/**
 * Cancels a production and prints the settlement. Nothing new is paid for. With `wait`, first waits until the paid
 * tasks are collected, or until an interrupt.
 *
 * Waiting is the default, because the embedded set (Temporal and a worker) runs only while a command uses it. If this
 * command starts the set, interrupted productions are held: the worker buys nothing new for them.
 */
export async function cancel(productionId: string, { wait, json }: CancelOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  await checkWasRendered(store, productionId);
  const session = await openSession(config, store);
  const { signal } = listenForInterrupt();
  try {
    await session.dailies.cancel(productionId);
    tell(`Cancelling "${productionId}": nothing new is paid for; what is under way at the gateway is collected.`);
    await tellOfHeld(session, productionId);
    const isServed = await hasWorker(session);
    if (!isServed) tell(NO_WORKER);
    if (!wait) {
      await printSettlement(session, productionId, json);
      tell(
        whenCancelled(session, {
          isServed,
          cancel: `dailies cancel ${productionId}`,
          look: `dailies status ${productionId}`,
        }),
      );
      return EXIT.completed;
    }
    const shown = { plain: json === true, quiet: false, until: 'ended' } as const;
    const last = await followProduction(session, productionId, signal, shown);
    const hasEnded = last !== undefined && last.state !== 'running';
    await printSettlement(session, productionId, json);
    if (hasEnded) {
      await publishAgain(session, last);
      return EXIT.completed;
    }
    tell(`"${productionId}" is still being cancelled; look again with \`dailies status ${productionId}\`.`);
    return EXIT.interrupted;
  } finally {
    await session.close();
  }
}

/** Adds the collected takes to the production's out folder, if it has one, and updates the contact sheet. */
async function publishAgain({ config, store }: Session, status: ProductionStatus): Promise<void> {
  const { account, ffmpegPath } = config;
  const folder = await createOutFolders(store).publishedFolder(status.production);
  if (folder === null) return;
  try {
    tellOfMoved((await publish({ store, account, status, folder, ffmpegPath })).movedAside);
    tell(`Its takes and contact sheet so far are in ${folder}.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    tell(
      `Its files in ${folder} were not brought up to date (${reason}); ${exportCommand(status.production)} tries again.`,
    );
  }
}

async function printSettlement({ config, store, client }: Session, productionId: string, json = false): Promise<void> {
  const status = await client.status(productionId);
  if (status === undefined)
    throw new Refused(`production "${productionId}" left nothing to settle; see \`dailies ledger ${productionId}\``);
  const settlement = await settle(store, config.account, status);
  if (json) printJson(settlement);
  else print(settlementInWords(settlement));
}

function settlementInWords({
  production,
  state,
  spent,
  collected,
  unclear,
  uncollected,
  failed,
  notStarted,
}: Settlement): readonly string[] {
  const { credits, byThisRender, tasksWithoutPrice } = spent;
  const takes = (list: Settlement['collected']): string => list.map(({ shot, take }) => `${shot} (${take})`).join(', ');
  const whenToAnswer = (isCurrent: boolean): string => {
    if (state === 'running') return '';
    return isCurrent
      ? '. The next render, which also renders all else that is missing, asks you about it unless the file has `onUnclear: resubmit`'
      : '. No render asks about it; to decide about it';
  };
  const rows: (readonly [string, string])[] = [
    [
      'spent',
      `${counted(credits, 'credit')}, ${byThisRender} of them by this render${withoutPriceInWords(tasksWithoutPrice)}`,
    ],
    ['collected', takes(collected)],
    ['unclear', takes(unclear)],
    ['not collected', takes(uncollected)],
    ['failed', takes(failed)],
    ['not started', notStarted.join(', ')],
  ];
  return [
    `${production}: ${state}`,
    ...table(rows.map(([name, words]) => [name, words === '' ? 'none' : words])),
    ...unclear.map(
      ({ shot, since, isCurrent, command }) =>
        `  "${shot}" has been unclear since ${since}${whenToAnswer(isCurrent)}: ${command}`,
    ),
  ];
}
