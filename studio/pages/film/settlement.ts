import { counted } from '../../../contracts/counted';
import { html, type Html } from '../../../client/contact-sheet/html';
import { type Settlement, settle } from '../../../client/books';
import { type FilmView } from '../../views/film-view';
import { type Studio } from '../../server/studio';
import { commandShown, shotPath, timeShown } from '../parts';

/**
 * The costs and results of a production that is being cancelled, was cancelled, or ended incomplete. Undefined for any
 * other production, or if the store has lost the frozen production.
 */
export async function settlementOf(
  { dailies, account }: Studio,
  { status, production }: FilmView,
): Promise<Settlement | undefined> {
  const { state, shots } = status;
  // A production that is being cancelled still collects paid takes.
  const isDraining = state === 'running' && shots.some((shot) => shot.state === 'cancelled');
  const isSettled = isDraining || state === 'cancelled' || state === 'incomplete';
  return isSettled && production !== undefined ? settle(dailies.store, account, status) : undefined;
}

export function settlementShown({ state, production, ...settlement }: Settlement): Html {
  const { spent, collected, uncollected, unclear, failed, notStarted } = settlement;
  const { credits, byThisRender, tasksWithoutPrice } = spent;
  const isDraining = state === 'running';
  return html`<h3>Settlement</h3>
    ${isDraining ? html`<p>The render is being cancelled: nothing new is bought, and paid takes are still collected.</p>` : null}
    <dl class="settlement">
      ${row('Charged by this render', `${byThisRender} of ${counted(credits, 'credit')} in all${withoutPrice(tasksWithoutPrice)}`)}
      ${row('Collected', takesShown(production, collected))}
      ${row(isDraining ? 'Still being collected' : 'Paid for, not collected', takesShown(production, uncollected))}
      ${row('Unclear', unclearShown(production, unclear, isDraining))} ${row('Failed', takesShown(production, failed))}
      ${row('Not started', notStarted.length === 0 ? 'none' : notStarted.join(', '))}
    </dl>
    ${commandShown(isDraining ? `dailies cancel ${production}` : `dailies ledger ${production}`)}`;
}

function withoutPrice(tasks: number): string {
  return tasks === 0 ? '' : `, and ${counted(tasks, 'task')} without a price`;
}

function row(name: string, value: Html | string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function takesShown(production: string, takes: Settlement['collected']): Html | string {
  if (takes.length === 0) return 'none';
  return html`${takes.map(
    ({ shot, take }, index) =>
      html`${index === 0 ? '' : ', '}<a href="${shotPath(production, shot)}">${shot}, take ${take}</a>`,
  )}`;
}

function unclearShown(production: string, unclear: Settlement['unclear'], isRunning: boolean): Html | string {
  if (unclear.length === 0) return 'none';
  return html`<ul>
    ${unclear.map(
      ({ shot, take, since, reason, isCurrent, command }) =>
        html`<li>
          <a href="${shotPath(production, shot)}">${shot}, take ${take}</a>, since ${timeShown(since)}: ${reason}. It
          may have been charged. ${whenDecided(isRunning, isCurrent)} ${commandShown(command)}
        </li>`,
    )}
  </ul>`;
}

function whenDecided(isRunning: boolean, isCurrent: boolean): string {
  if (isRunning) return 'Decide on the page of the shot.';
  return isCurrent
    ? 'Render again; then the page of the shot asks for a decision.'
    : 'No render waits for this take. Decide with this command:';
}
