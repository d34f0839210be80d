import { againCommand } from '../client';
import { carryOutProposal, type Proposal } from '../client/directing';
import { type Store } from '../store';
import { type Config } from '../workers/config';
import { tellWhereLate } from './answer';
import { confirm } from './confirm';
import { EXIT, type ExitCode } from './exit-codes';
import { type Interrupt, listenForInterrupt } from './interrupt';
import { followsInWords, lapsedInWords } from './plan-wording';
import { checkGateway } from './preflight';
import { type OutcomeOptions, renderToEnd } from './render-to-end';
import { hasWorker, type Session, tellOfSandbox } from './session';
import { tell } from './streams';

export interface CarryOutOptions extends OutcomeOptions {
  /** Says yes beforehand. */
  readonly yes?: boolean;
}

/** What a person is told of a proposal, beside what follows from it. */
export interface Wording {
  /** Ends in a question mark. */
  readonly question: string;
  /** Whether it is asked also where nothing is to be paid for. */
  readonly asksAlways: boolean;
  /** What was done, once it is noted. */
  readonly done: string;
}

/**
 * Says what would follow from a proposal, asks, and then renders by it: a running production follows it, an ended one is
 * rendered again. Nothing is brought up before the yes, and nothing noted before it is known to be taken.
 */
export async function carryOut(
  config: Config,
  store: Store,
  proposal: Proposal,
  wording: Wording,
  options: CarryOutOptions,
): Promise<ExitCode> {
  const { productionId } = proposal;
  if (!(await agrees(proposal, wording, options))) return EXIT.completed;
  const interrupt: Interrupt = listenForInterrupt();
  tellOfSandbox(config);
  await checkGateway(config);
  const begin = (session: Session): Promise<void> => beginProposal(session, proposal, wording);
  const command = (): Promise<string> => againCommand(store, { what: 'production', id: productionId });
  const rendering = { productionId, command, begin };
  return renderToEnd(config, store, rendering, interrupt, options);
}

/** Says what would follow from a proposal, and asks whether it is to be so. */
export async function agrees(
  { follows }: Proposal,
  { question, asksAlways }: Wording,
  { yes }: Pick<CarryOutOptions, 'yes'> = {},
): Promise<boolean> {
  tell(followsInWords(follows));
  if (follows.lapsed.length > 0) tell(lapsedInWords(follows.lapsed));
  const isAsked = yes !== true && (asksAlways || follows.quote.tasks > 0);
  if (!isAsked || (await confirm(question))) return true;
  tell('Nothing has changed.');
  return false;
}

/** Notes what was agreed on, and has it rendered. @throws Refused if the production has changed since it was proposed. */
export async function beginProposal(session: Session, proposal: Proposal, { done }: Wording): Promise<void> {
  const context = { client: session.client, hasWorker: () => hasWorker(session) };
  const { revised } = await tellWhereLate(carryOutProposal(context, proposal));
  tell(done);
  tell(revised ? `"${proposal.productionId}" follows it from now on.` : `Rendering "${proposal.productionId}".`);
}
