import { againCommand } from '../../client';
import { carryOutProposal, type Proposal } from '../../client/directing';
import { isBegunVersion } from '../../client/records/same-version';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { tellIfLate } from './answer';
import { confirm } from '../process/confirm';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { type Interrupt, listenForInterrupt } from '../process/interrupt';
import { consequencesInWords, lapsedInWords } from '../../client/plan/plan-in-words';
import { checkGateway } from '../session/preflight';
import { type OutcomeOptions, renderToEnd } from './render-to-end';
import { hasWorker, tellOfSandbox } from '../session/session';
import { type Session } from '../session/open-session';
import { tell } from '../process/streams';
import { askBeforeSpending } from '../session/which-ledger';

export interface CarryOutOptions extends OutcomeOptions {
  /** Skips the question of `Wording`, but not the questions of `askBeforeSpending`. */
  readonly yes?: boolean;
}

/** The texts of a proposal, in addition to its consequences. */
export interface Wording {
  /** Ends in a question mark. */
  readonly question: string;
  /** Whether the question is asked even if nothing has to be paid. */
  readonly asksAlways: boolean;
  /** Printed after the change has been recorded. */
  readonly done: string;
}

/**
 * Gets the person's agreement to a proposal (see `agrees`) and carries the proposal out. A running production is
 * revised; an ended production is rendered again.
 *
 * Nothing starts before the agreement. The change is recorded right before the render starts or is revised, so a
 * refusal before that leaves no record.
 */
export async function carryOut(
  config: Config,
  store: Store,
  proposal: Proposal,
  wording: Wording,
  options: CarryOutOptions,
): Promise<ExitCode> {
  const { productionId } = proposal;
  if (!(await agrees({ config, store }, proposal, wording, options))) return EXIT.completed;
  const interrupt: Interrupt = listenForInterrupt();
  tellOfSandbox(config);
  await checkGateway(config);
  let change: Awaited<ReturnType<Proposal['change']>> | undefined;
  const noted: Proposal = { ...proposal, change: async () => (change = await proposal.change()) };
  const begin = (session: Session): Promise<void> => beginProposal(session, noted, wording);
  const isRecorded = async (): Promise<boolean> =>
    change !== undefined && isBegunVersion(store, config.account, change);
  const command = (): Promise<string> => againCommand(store, { what: 'production', id: productionId });
  const rendering = { productionId, command, begin, isRecorded };
  return renderToEnd(config, store, rendering, interrupt, options);
}

/**
 * Prints the consequences of a proposal. Unless `yes` is set, asks for agreement if the proposal costs money or
 * `asksAlways` is set. If the proposal costs money, also asks the questions of `askBeforeSpending`.
 *
 * @returns false if the person says no to the proposal.
 * @throws Refused, StoreError
 */
export async function agrees(
  { config, store }: Pick<Session, 'config' | 'store'>,
  { follows }: Proposal,
  { question, asksAlways }: Wording,
  { yes }: Pick<CarryOutOptions, 'yes'> = {},
): Promise<boolean> {
  tell(consequencesInWords(follows));
  if (follows.lapsed.length > 0) tell(lapsedInWords(follows.lapsed));
  const isAsked = yes !== true && (asksAlways || follows.quote.tasks > 0);
  if (isAsked && !(await confirm(question))) {
    tell('Nothing has changed.');
    return false;
  }
  if (follows.quote.tasks > 0) await askBeforeSpending(config, store);
  return true;
}

/**
 * Records the agreed change and starts or revises the render. @throws Refused if the production has changed since the
 * proposal.
 */
export async function beginProposal(session: Session, proposal: Proposal, { done }: Wording): Promise<void> {
  const context = { client: session.client, hasWorker: () => hasWorker(session) };
  const { revised } = await tellIfLate(carryOutProposal(context, proposal));
  tell(done);
  tell(
    revised
      ? `The running render of "${proposal.productionId}" follows the change.`
      : `Rendering "${proposal.productionId}".`,
  );
}
