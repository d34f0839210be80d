import { type Html, html } from '../../client/contact-sheet/html';
import { type ClosedSubmits } from '../../client/programs';
import { NO_WORKER } from '../../client/temporal/pollers';
import { type Studio } from '../server/studio';
import { timeShown } from './parts';
import { ifTemporalAnswers } from '../views/if-temporal-answers';
import { recentVersion } from '../views/recent-version';

const TEMPORAL_GONE =
  'Temporal does not answer. This page is read from the store and may be out of date. Nothing is lost: paid takes are collected once Temporal is back.';

/** The troubles of the whole account. Empty if there are none. */
export async function troublesOf(studio: Studio): Promise<readonly Html[]> {
  const hasWorker = await ifTemporalAnswers(studio, () => studio.hasWorker());
  const gates = await studio.dailies.closedGates();
  const temporal = hasWorker === undefined ? [html`${TEMPORAL_GONE}`] : hasWorker ? [] : [html`${NO_WORKER}`];
  return [...temporal, ...gates.map(gateShown)];
}

/** A version that changes when a trouble begins or ends, so that open pages show the change. */
export function troublesVersion(studio: Studio): Promise<string> {
  return recentVersion(studio, 'troubles', async () => versionOfTroubles(await troublesOf(studio)));
}

/** The part of a page's version that changes with these troubles. */
export function versionOfTroubles(troubles: readonly Html[]): string {
  return troubles.map(({ markup }) => markup).join();
}

/** Shown while submits wait because the gateway is down, refuses the key, or gave no clear answer to a submit. */
function gateShown({ model, reason, since, triesAt, triesAnywayAt }: ClosedSubmits): Html {
  return html`${model === null ? 'Nothing is sent' : `Nothing is sent to ${model}`} since ${timeShown(since)}:
  ${reason}. After ${timeShown(triesAt)}, one submit is tried as soon as the gateway answers another request; after
  ${timeShown(triesAnywayAt)}, in any case. If that submit is accepted, the others follow.`;
}
