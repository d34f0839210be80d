import { checkReview, knownProduction, type KnownProduction, type Proposal } from '../../client/directing';
import { tellIfLate } from '../renders/answer';
import { agrees, beginProposal, type Wording } from '../renders/carry-out';
import { askLine } from '../process/confirm';
import { checkGateway } from '../session/preflight';
import { VerbFailed } from '../process/run-verb';
import { type Session } from '../session/open-session';
import { tell } from '../process/streams';
import { proposedChoice } from '../verbs/choose';
import { proposedRetake } from '../verbs/retake';
import { type Reviewing, type Shown } from './review-loop';
import { showTake } from './show-take';
import { type ReviewedProduction, readReviewed } from './reviewed-production';
import { waitingShots } from './waiting-shots';

/** A review over an open session. Decisions have the same effect as `approve`, `reject`, `choose` and `retake`. */
export function reviewingOf(session: Session, productionId: string): Reviewing {
  const { config, store } = session;
  let known: KnownProduction;
  let reviewed: ReviewedProduction;
  return {
    async look() {
      known = await knownProduction(store, config.account, productionId);
      reviewed = await readReviewed(config, store, productionId, session);
      return { version: known.version, shots: waitingShots(reviewed.status, reviewed.manifest) };
    },
    show: (shown, place) => showTake(config, store, reviewed.status, shown, place),
    ask: askLine,
    tell,
    async approve({ shot, take }) {
      if (shot.for === 'choice') {
        const { proposal, wording } = await proposedChoice(config, store, known, shot.id, take);
        return carryOutHere(session, proposal, wording);
      }
      await tellIfLate(session.dailies.approve(productionId, shot.id, take));
      tell(`Approved: take ${take} is used for "${shot.id}".`);
      return true;
    },
    reject: (shown) => reject(session, known, reviewed, shown),
  };
}

async function reject(
  session: Session,
  known: KnownProduction,
  { status }: ReviewedProduction,
  { shot }: Shown,
): Promise<boolean> {
  if (shot.for === 'approval') checkReview(known.productionId, shot.id, status);
  const prompt = await askLine(`Another prompt for "${shot.id}" (Enter for the same again):`);
  if (prompt === undefined) return false;
  try {
    const changes = prompt === '' ? {} : { prompt };
    const { proposal, wording } = await proposedRetake(session.config, session.store, known, shot.id, changes);
    return await carryOutHere(session, proposal, wording);
  } catch (error) {
    // The prompt is invalid. The message is the same as for a production file with this prompt.
    if (!(error instanceof VerbFailed)) throw error;
    tell(error.message.split('\n'));
    return false;
  }
}

/** Prints the price, asks, and carries the proposal out in the open session. @returns false if the person says no. */
async function carryOutHere(session: Session, proposal: Proposal, wording: Wording): Promise<boolean> {
  if (!(await agrees(session, proposal, wording))) return false;
  await checkGateway(session.config);
  await beginProposal(session, proposal, wording);
  return true;
}
