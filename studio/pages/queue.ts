import { html, type Html } from '../../client/contact-sheet/html';
import { type ChangedAll, type UnderWay } from '../../client/programs';
import { type AccountLimitsView, type LIMITS, type QueueView } from '../../client/temporal/limits';
import { resumeCommand, shellWord } from '../../client/wording/commands';
import { Refused } from '../../client/wording/refused';
import { type LimitSet } from '../../contracts/gateway/limits';
import { type ActionRequest, type Page, type PageRequest, type Section } from '../server/page';
import { type Outcome } from '../server/form-tokens';
import { type Studio } from '../server/studio';
import { recentVersion } from '../views/recent-version';
import { batchPath } from './batch/batch-rows';
import { button, commandShown, form, hidden, productionPath, shotPath, timeShown } from './parts';
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

/** Refused input of the form for limits. */
interface RefusedLimits {
  readonly model: string;
  /** The limits that the form showed. */
  readonly shown: LimitSet;
  readonly fields: Readonly<Record<string, string>>;
  readonly error: string;
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

/** While submits wait for the count of running tasks, the list of what waits is not complete. */
function nothingWaits({ asking }: Pick<QueueView, 'asking'>): Html | null {
  return asking > 0 ? null : html`<p>Nothing waits.</p>`;
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
    ${learnedInFlight === null ? null : html`<p>The gateway has throttled: at most ${learnedInFlight} tasks are in flight for now.</p>`}
    ${isLearning ? html`<p>The ledger is being read to find running tasks; nothing is sent meanwhile. ${asking} more submits wait for this.</p>` : null}
    ${trouble === null ? null : html`<p class="alarm">The last attempt to find running tasks failed: ${trouble}</p>`}
    ${unreadable.length === 0 ? null : html`<p class="alarm">The records of these takes are lost or damaged: ${unreadable.join(', ')}</p>`}
    ${
      waiting.length === 0
        ? nothingWaits(learning)
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

const LABELS: Readonly<Record<keyof typeof LIMITS, string>> = {
  inFlight: 'Tasks in flight',
  perSecond: 'Submits a second',
  perMinute: 'Submits a minute',
  creditsPerDay: 'Credits a day (UTC)',
};

const FLAGS: Readonly<Record<keyof typeof LIMITS, string>> = {
  inFlight: '--in-flight',
  perSecond: '--per-second',
  perMinute: '--per-minute',
  creditsPerDay: '--credits-per-day',
};

const LIMIT_NAMES = Object.keys(LABELS) as (keyof typeof LIMITS)[];

function limitsShown(
  { account, models, spentToday }: AccountLimitsView,
  { token }: Pick<PageRequest, 'token'>,
  typed: RefusedLimits | undefined,
): Html {
  const own = typed?.model === '' ? typed : undefined;
  const other = typed?.model === '' ? undefined : typed;
  return html`<section aria-labelledby="limits-title">
    <h2 id="limits-title">Limits</h2>
    ${spentToday === null ? null : html`<p>${spentToday} credits were charged today.</p>`}
    ${limitsForm(token, 'The whole account', '', own ?? account)}
    ${Object.entries(models).map(([model, set]) => limitsForm(token, model, model, other?.model === model ? other : set))}
    <details ${other === undefined || Object.hasOwn(models, other.model) ? null : html`open`}>
      <summary>Limit another model</summary>
      ${limitsForm(token, 'Another model', null, other !== undefined && !Object.hasOwn(models, other.model) ? other : {})}
    </details>
  </section>`;
}

/** @param model empty for the whole account; null if the person types the model's name into the form. */
function limitsForm(
  token: PageRequest['token'],
  title: string,
  model: string | null,
  values: LimitSet | RefusedLimits,
): Html {
  const typed = 'fields' in values && 'error' in values ? (values as RefusedLimits) : undefined;
  const set = typed?.shown ?? (values as LimitSet);
  const valueOf = (name: keyof typeof LIMITS): string => typed?.fields[name] ?? String(set[name] ?? '');
  const flags = LIMIT_NAMES.map((name) => `${FLAGS[name]} ${valueOf(name) === '' ? 'none' : shellWord(valueOf(name))}`);
  const named = model === '' ? '' : ` --model ${model === null ? 'MODEL' : shellWord(model)}`;
  return html`<h3>${title}</h3>
    ${typed === undefined ? null : html`<p class="alarm" role="alert">${typed.error}</p>`}
    ${form(
      '/queue/limits',
      token,
      html`${
          model === null
            ? html`<label
                >Model <input name="model" required maxlength="200" value="${typed?.model ?? ''}" autocomplete="off"
              /></label>`
            : model === ''
              ? hidden('account', 'yes')
              : hidden('model', model)
        }
        ${hidden('shown', set)}
        ${LIMIT_NAMES.map(
          (name) =>
            html`<label
              >${LABELS[name]}
              <input
                name="${name}"
                inputmode="decimal"
                value="${valueOf(name)}"
                placeholder="no limit"
                autocomplete="off"
            /></label>`,
        )} <button>Set limits</button>`,
    )}
    ${commandShown(`dailies limits${named} ${flags.join(' ')}`)}`;
}

/** Changes only limits that the person edited, since others may have been changed after the form was shown. */
async function setLimits(studio: Studio, request: ActionRequest): Promise<Page | Outcome> {
  const model = request.field('model').trim();
  if (model === '' && request.field('account') === '') throw new Refused('Enter a model id. Nothing was changed.');
  const fields = Object.fromEntries(LIMIT_NAMES.map((name) => [name, request.field(name).trim()]));
  const shown = request.json('shown') as LimitSet | null | undefined;
  if (shown == null) throw new Refused('The form lacks the limits that it showed. Load the page again.');
  const edited = LIMIT_NAMES.filter((name) => fields[name] !== String(shown[name] ?? ''));
  try {
    const change = Object.fromEntries(edited.map((name) => [name, parseLimit(name, fields[name] ?? '')]));
    await studio.dailies.limits({ ...(model === '' ? {} : { model }), ...change });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return pageOf(await queueView(studio), request, { model, shown, fields, error: error.message });
  }
  return { done: `The limits of ${model === '' ? 'the account' : model} are set.`, to: '/queue' };
}

/** Null (no limit) for an empty text. Only the credits may be 0. @throws Refused if the text is no such number. */
function parseLimit(name: keyof typeof LIMITS, typed: string): number | null {
  if (typed === '') return null;
  const value = /^\d{1,12}(\.\d{1,6})?$/.test(typed) ? Number(typed) : Number.NaN;
  const mayBeNone = name === 'creditsPerDay';
  if (value > 0 || (mayBeNone && value === 0)) return value;
  const allowed = mayBeNone ? 'number from 0' : 'positive number';
  throw new Refused(`${LABELS[name]}: ${JSON.stringify(typed)} is not a ${allowed}; leave it empty for no limit`);
}

function changedInWords(verb: string, { changed, refused }: ChangedAll): string {
  const done = changed.length === 0 ? `${verb} nothing.` : `${verb}: ${changed.join(', ')}.`;
  return [done, ...refused.map(({ id, reason }) => `Not "${id}": ${reason}.`)].join(' ');
}
