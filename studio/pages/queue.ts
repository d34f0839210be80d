import { counted } from '../../contracts/counted';
import { html, type Html } from '../../client/contact-sheet/html';
import { type ChangedAll, type UnderWay } from '../../client/programs';
import { type AccountLimitsView, type QueueView } from '../../client/temporal/limits';
import { resumeCommand } from '../../client/wording/commands';
import { Refused } from '../../client/wording/refused';
import { type LimitSet } from '../../contracts/gateway/limits';
import { type ActionRequest, type Page, type PageRequest, type Section } from '../server/page';
import { type Outcome } from '../server/form-tokens';
import { type Studio } from '../server/studio';
import { recentVersion } from '../views/recent-version';
import { batchPath } from './batch/batch-rows';
import { LIMIT_NAMES, limitsShown, parseLimit, type RefusedLimits } from './limits-form';
import { button, commandShown, hidden, productionPath, shotPath, timeShown } from './parts';
import { ifTemporalAnswers } from '../views/if-temporal-answers';

export const queue: Section = {
  pages: [
    {
      path: '/queue',
      show: async (studio, request) => pageOf(await queueView(studio), request),
      version: (studio) => recentVersion(studio, '/queue', async () => JSON.stringify(await queueView(studio))),
    },
  ],
  actions: [
    { path: '/queue/limits', act: setLimits },
    {
      path: '/queue/pause',
      async act({ dailies }, { field }) {
        const id = field('id');
        await dailies.pause(id, { reason: 'paused in the studio' });
        return { done: `"${id}" is paused. Paid takes are still collected.`, to: '/queue' };
      },
    },
    {
      path: '/queue/resume',
      async act({ dailies }, { field }) {
        const id = field('id');
        await dailies.resume(id);
        return { done: `"${id}" is resumed.`, to: '/queue' };
      },
    },
    {
      path: '/queue/pause-all',
      async act({ dailies }) {
        return {
          done: changedInWords('Paused', await dailies.pauseAll({ reason: 'all paused in the studio' })),
          to: '/queue',
        };
      },
    },
    {
      path: '/queue/resume-all',
      async act({ dailies }, { json }) {
        const ids = json('ids');
        if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) {
          throw new Refused('The form does not say what to resume. Load the page again; nothing has happened.');
        }
        // Resume only the ids that the person saw: a production or batch that was paused later stays paused.
        return { done: changedInWords('Resumed', await dailies.resumeAll(ids)), to: '/queue' };
      },
    },
  ],
};

/** `queue` and `limits` are undefined if Temporal does not answer. */
interface QueueData {
  readonly queue: QueueView | undefined;
  readonly limits: AccountLimitsView | undefined;
  readonly underWay: readonly UnderWay[];
}

async function queueView(studio: Studio): Promise<QueueData> {
  const { dailies } = studio;
  return {
    queue: await ifTemporalAnswers(studio, () => dailies.queue()),
    limits: await ifTemporalAnswers(studio, () => dailies.limits()),
    underWay: await dailies.underWay(),
  };
}

function pageOf(view: QueueData, request: Pick<PageRequest, 'token'>, typed?: RefusedLimits): Page {
  return {
    title: 'Queue',
    ...(typed === undefined ? {} : { status: 422 as const }),
    body: html`<h1>Queue</h1>
      ${waitingOrTrouble(view.queue)} ${underWayShown(view, request)}
      ${view.limits === undefined ? null : limitsShown(view.limits, request, typed)}`,
  };
}

function waitingOrTrouble(queue: QueueView | undefined): Html {
  if (queue === undefined) return html`<p class="trouble">Temporal does not answer, so the queue is not known.</p>`;
  if (queue.hasWorker) return waitingShown(queue);
  return html`<p class="trouble">No worker that keeps the queue is running, so it is not known what waits.</p>`;
}

function waitingShown({ waiting, inFlight, closedUntil, learnedInFlight, ...learning }: QueueView): Html {
  const { isLearning, asking, trouble, unreadable } = learning;
  return html`<section aria-labelledby="waiting-title">
    <h2 id="waiting-title">Waiting for the gateway</h2>
    <p class="facts"><span>${waiting.length} waiting</span> <span>${inFlight} in flight at the last check</span></p>
    ${closedUntil === null ? null : html`<p class="trouble">The gateway throttles. Nothing is sent until ${timeShown(closedUntil)}.</p>`}
    ${learnedInFlight === null ? null : html`<p>The gateway has throttled: at most ${counted(learnedInFlight, 'task')} in flight for now.</p>`}
    ${isLearning ? html`<p>The ledger is being read to find running tasks; nothing is sent meanwhile. ${asking} more submits wait for this.</p>` : null}
    ${trouble === null ? null : html`<p class="alarm">The last attempt to find running tasks failed: ${trouble}</p>`}
    ${unreadable.length === 0 ? null : html`<p class="alarm">The records of these takes are lost or damaged: ${unreadable.join(', ')}</p>`}
    ${
      waiting.length === 0
        ? isLearning
          ? null
          : html`<p>Nothing waits.</p>`
        : html`<div class="scrolls" role="region" aria-labelledby="waiting-caption" tabindex="0">
            <table>
              <caption id="waiting-caption">
                The next submit is first
              </caption>
              <thead>
                <tr>
                  ${['Turn', 'Shot', 'Take', 'Model', 'Priority', 'Since', 'Waits for'].map((name) => html`<th scope="col">${name}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${waiting.map(
                  ({ production, shot, take, model, priority, since, waitsFor }, index) =>
                    html`<tr>
                      <td>${index === 0 ? 'next' : index + 1}</td>
                      <th scope="row"><a href="${shotPath(production, shot)}">${production}/${shot}</a></th>
                      <td>${take}</td>
                      <td>${model}</td>
                      <td>${priority}</td>
                      <td>${timeShown(since)}</td>
                      <td>${waitsFor}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
    ${commandShown('dailies queue')}
  </section>`;
}

function underWayShown({ underWay }: QueueData, { token }: Pick<PageRequest, 'token'>): Html {
  const paused = underWay.filter(({ hold }) => hold?.by === 'person').map(({ id }) => id);
  return html`<section aria-labelledby="running-title" class="actions">
    <h2 id="running-title">Productions and batches</h2>
    ${
      underWay.length === 0
        ? html`<p>Nothing runs.</p>`
        : html`<ul>
            ${underWay.map((one) => html`<li id="run-${one.id}">${oneShown(one, token)}</li>`)}
          </ul>`
    }
    ${underWay.length === paused.length ? null : button('/queue/pause-all', token, { label: 'Pause all' })}
    ${
      paused.length === 0
        ? null
        : button('/queue/resume-all', token, {
            label: paused.length === 1 ? `Resume ${paused[0] ?? ''}` : `Resume the ${paused.length} that are paused`,
            how: 'spends',
            fields: hidden('ids', paused),
          })
    }
  </section>`;
}

function oneShown({ id, kind, hold }: UnderWay, token: PageRequest['token']): Html {
  const path = kind === 'batch' ? batchPath(id) : productionPath(id);
  const fields = hidden('id', id);
  const link = html`<a href="${path}">${id}</a>`;
  if (hold?.by === 'person') {
    return html`${link} has been paused since ${timeShown(hold.since)}: ${hold.reason}
    ${button('/queue/resume', token, { label: `Resume ${id}`, how: 'spends', fields })}
    ${commandShown(resumeCommand(id))}`;
  }
  return html`${link}
  ${hold === null ? '' : html`was interrupted at ${timeShown(hold.since)}; render it again to continue.`}
  ${button('/queue/pause', token, { label: `Pause ${id}`, fields })} ${commandShown(`dailies pause ${id}`)}`;
}

/** Changes only limits that the person edited, since the other limits may have changed after the form was shown. */
async function setLimits(studio: Studio, request: ActionRequest): Promise<Page | Outcome> {
  const model = request.field('model').trim();
  if (model === '' && request.field('account') === '') throw new Refused('Enter a model id. Nothing was changed.');
  const fields = Object.fromEntries(LIMIT_NAMES.map((name) => [name, request.field(name).trim()]));
  const shown = request.json('shown') as LimitSet | null | undefined;
  if (shown == null) throw new Refused('The form lacks the limits that it showed. Load the page again.');
  const edited = LIMIT_NAMES.filter((name) => fields[name] !== String(shown[name] ?? ''));
  if (edited.length === 0) return { done: 'You edited no limit, so nothing was changed.', to: '/queue' };
  try {
    const change = Object.fromEntries(edited.map((name) => [name, parseLimit(name, fields[name] ?? '')]));
    await studio.dailies.limits({ ...(model === '' ? {} : { model }), ...change });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return pageOf(await queueView(studio), request, { model, shown, fields, error: error.message });
  }
  return { done: `The limits of ${model === '' ? 'the account' : model} are set.`, to: '/queue' };
}

function changedInWords(verb: string, { changed, refused }: ChangedAll): string {
  const done = changed.length === 0 ? `${verb} nothing.` : `${verb}: ${changed.join(', ')}.`;
  return [done, ...refused.map(({ id, reason }) => `Not "${id}": ${reason}.`)].join(' ');
}
