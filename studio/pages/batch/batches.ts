import { html, type Html } from '../../../client/contact-sheet/html';
import { quoteInWords } from '../../../client/plan/plan-in-words';
import { type RetryPlan } from '../../../client/programs';
import { notifyCommand } from '../../../client/wording/commands';
import { Refused } from '../../../client/wording/refused';
import { type ActionRequest, type FileRoute, type Page, type PageRequest, type Section } from '../../server/page';
import { type Outcome } from '../../server/form-tokens';
import { type Studio } from '../../server/studio';
import { batchVersion, type BatchView, batchView, READING, resultLines, rowSelection } from '../../views/batch-view';
import { batchPath, failedShown, gridShown, parkedShown } from './batch-rows';
import {
  button,
  commandShown,
  creditsShown,
  expectedShown,
  hidden,
  inTime,
  stateShown,
  timeShown,
  reasonShown,
} from '../parts';

export const batches: Section = {
  pages: [
    {
      path: '/batches/:id',
      async show(studio, request) {
        const id = request.params['id'] ?? '';
        const view = await batchView(studio, id, rowSelection(request.query));
        if (view === undefined) return readingPage(id);
        return { title: view.summary.title, body: batchShown(studio, view, request), version: view.version };
      },
      version: (studio, { params: { id = '' } }) => batchVersion(studio, id),
      showsVersion: true,
    },
  ],
  files: [resultsFile('jsonl'), resultsFile('csv')],
  actions: [
    {
      path: '/batches/:id/pause',
      async act({ dailies }, { params: { id = '' } }) {
        await dailies.pause(id, { reason: 'paused in the studio' });
        return { done: 'Paused. No further row begins; paid outputs are still collected.', to: batchPath(id) };
      },
    },
    {
      path: '/batches/:id/resume',
      async act({ dailies }, { params: { id = '' } }) {
        await dailies.resume(id);
        return { done: 'Resumed.', to: batchPath(id) };
      },
    },
    {
      path: '/batches/:id/cancel',
      async act({ dailies }, { params: { id = '' } }) {
        await dailies.cancelBatch(id);
        return { done: 'Cancelled. Nothing new is bought; paid outputs are still collected.', to: batchPath(id) };
      },
    },
    { path: '/batches/:id/retry', act: retry },
    {
      path: '/batches/:id/continue',
      async act({ dailies }, { params: { id = '' } }) {
        const { held } = await dailies.batchSummary(id);
        if (held !== true) throw new Refused('The batch is not held any more. Load its page again.');
        // Not `retryFailed`: that begins another run, at a price that nobody saw, if the batch has just ended.
        await dailies.client.batches.goOn(id);
        return { done: 'The batch continues. Rows that were paid for are not paid for again.', to: batchPath(id) };
      },
    },
  ],
};

/** Results, a line for each row. CSV has a header. */
function resultsFile(kind: 'jsonl' | 'csv'): FileRoute {
  return {
    path: `/batches/:id/results.${kind}`,
    async file(studio, { params: { id = '' } }) {
      return {
        name: `${id}.results.${kind}`,
        mediaType: kind === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8',
        body: await resultLines(studio, id, kind),
      };
    },
  };
}

/** Shown while the rows of a large batch are read for the first time. */
function readingPage(id: string): Page {
  return {
    title: id,
    version: READING,
    body: html`<h1>${id}</h1>
      <p role="status">Its rows are being read. This takes about a second for a hundred thousand rows.</p>
      <p><a href="${batchPath(id)}">Look again</a></p>`,
  };
}

function batchShown({ account }: Studio, view: BatchView, request: PageRequest): Html {
  const { summary, isLive } = view;
  const { title, state, reason, rows, counts, startedAt, paused } = summary;
  return html`<h1>${title}</h1>
    <p class="facts">
      ${stateShown(state)}
      <progress max="${rows}" value="${counts.completed}">${counts.completed} of ${rows}</progress>
      <span>${counts.completed} of ${rows} rows</span>
      <span>${creditsShown(summary.credits)} charged</span>
      ${elapsedShown(view, Date.now())} ${expectedShown(view.expected, Date.now())}
      <span>began ${timeShown(startedAt)}</span>
    </p>
    ${reason === null ? null : html`<p class="reason">${reasonShown(reason)}</p>`}
    ${paused === null ? null : html`<p class="reason">Paused since ${timeShown(paused.since)}: ${paused.reason}</p>`}
    ${!isLive && state === 'running' ? html`<p class="trouble">${FROM_STORE}</p>` : null}
    ${summary.account === account ? null : html`<p class="trouble">${otherAccountInWords(summary.account)}</p>`}
    ${readyByShown(view)} ${noticesShown(view)} ${parkedShown(view)} ${gridShown(view)} ${failedShown(view)}
    ${actionsShown(view, request)} ${downloadsShown(view)}`;
}

const FROM_STORE = 'Temporal does not answer, so this page does not show which rows are running.';

function otherAccountInWords(account: string): string {
  return `This batch was last rendered for the account ${account}, which is not the account of this studio. The page shows only results that ${account} paid for.`;
}

function elapsedShown({ summary: { startedAt, endedAt, state } }: BatchView, nowMs: number): Html {
  const untilMs = endedAt === null ? nowMs : Date.parse(endedAt);
  const seconds = Math.max(0, (untilMs - Date.parse(startedAt)) / 1_000);
  const isRunning = state === 'running';
  return html`<span class="elapsed" data-seconds="${seconds}" data-runs="${String(isRunning)}"
    >${inTime(seconds)}</span
  >`;
}

function readyByShown({ summary: { readyBy } }: BatchView): Html | null {
  if (readyBy === null) return null;
  const { at, urgentFrom, lastMoment, warning, fallback } = readyBy;
  return html`<p class="ready-by">
    To be ready by ${timeShown(at)}. ${urgentFrom === null ? null : html`Urgent from ${timeShown(urgentFrom)}.`}
    ${lastMoment === null ? null : html`The fallback is used from ${timeShown(lastMoment)}.`}
    ${fallback === 0 ? null : html`${fallback} ${fallback === 1 ? 'row was' : 'rows were'} rendered by the fallback.`}
    ${warning === null ? null : html`<span class="alarm">${warning}</span>`}
  </p>`;
}

function noticesShown({ id, summary: { notices } }: BatchView): Html | null {
  const undelivered = notices.filter(({ state }) => state !== 'delivered');
  if (undelivered.length === 0) return null;
  return html`<section aria-labelledby="notices-title">
    <h2 id="notices-title">Notices that were not delivered</h2>
    <ul>
      ${undelivered.map(
        ({ type, state, attempts, at, reason }) =>
          html`<li>
            ${type}, after ${attempts} ${attempts === 1 ? 'try' : 'tries'} (${timeShown(at)}):
            ${reason ?? 'no reason given'}.
            ${state === 'trying' ? 'It is posted again automatically.' : 'It is not posted again automatically.'}
          </li>`,
      )}
    </ul>
    <p>This command posts them again now.</p>
    ${commandShown(notifyCommand(id))}
  </section>`;
}

function actionsShown({ id, isLive, isRunning, summary }: BatchView, { token }: PageRequest): Html {
  const { state, paused, counts, held } = summary;
  const path = batchPath(id);
  const again =
    held === true && isRunning
      ? html`${button(`${path}/continue`, token, { label: 'Continue the batch', how: 'spends' })}${commandShown(retryCommand(id, true))}`
      : null;
  const pause =
    paused === null
      ? html`${button(`${path}/pause`, token, { label: 'Pause' })}${commandShown(`dailies pause ${id}`)}`
      : html`${button(`${path}/resume`, token, { label: 'Resume', how: 'spends' })}${commandShown(paused.command)}`;
  const cancel = html`${button(`${path}/cancel`, token, { label: 'Cancel the batch' })}
  ${commandShown(`dailies batch cancel ${id}`)}`;
  const withoutResult = counts.cancelled + counts.pending + counts.parked;
  return html`<section aria-labelledby="actions-title" class="actions">
    <h2 id="actions-title">Control</h2>
    ${again} ${state === 'running' ? html`${pause} ${cancel}` : null}
    ${state === 'running' || counts.failed === 0 ? null : retryShown(id, token, false, `Retry ${rowsInWords(counts.failed)} that failed`)}
    ${isRunning || !isLive || withoutResult === 0 ? null : retryShown(id, token, true, 'Render all rows without a result')}
  </section>`;
}

function retryShown(id: string, token: PageRequest['token'], missing: boolean, label: string): Html {
  const fields = hidden('missing', missing ? 'yes' : '');
  return html`${button(`${batchPath(id)}/retry`, token, { label: `${label}: see what it costs`, fields })}
  ${commandShown(retryCommand(id, missing))}`;
}

function retryCommand(id: string, missing: boolean): string {
  return `dailies batch retry-failed ${id}${missing ? ' --missing' : ''}`;
}

function rowsInWords(count: number): string {
  return count === 1 ? 'the row' : `the ${count} rows`;
}

/** Shows the plan and price of rendering rows again. Begins the run when the person has agreed to the plan. */
async function retry({ dailies }: Studio, request: ActionRequest): Promise<Page | Outcome> {
  const { id = '' } = request.params;
  const missing = request.field('missing') === 'yes';
  if (request.field('seen') === '') return retryPlanned(id, missing, await dailies.planRetry(id, { missing }), request);
  const plan = request.json('seen') as RetryPlan | undefined;
  if (plan === undefined) throw new Refused('The form does not say what was agreed to. Load the page again.');
  await dailies.retryFailed(id, { missing, plan, wait: false });
  return { done: `${plan.open} ${plan.open === 1 ? 'row is' : 'rows are'} rendered again.`, to: batchPath(id) };
}

function retryPlanned(id: string, missing: boolean, plan: RetryPlan, { token }: ActionRequest): Page {
  const { open, rows, first, quote } = plan;
  const title = `Render ${open} of ${rows} rows again`;
  const more = open - first.length;
  return {
    title,
    body: html`<h1>${title}</h1>
      <p>${first.join(', ')}${more === 0 ? '' : ` and ${more} more`}</p>
      <p class="sum">At most ${quote.tasks} ${quote.tasks === 1 ? 'task' : 'tasks'}: ${quoteInWords(quote)}.</p>
      <p>Paid outputs that are not collected yet are collected at no further cost.</p>
      <div class="yes">
        ${button(`${batchPath(id)}/retry`, token, {
          label: 'Render them again',
          how: 'spends',
          fields: html`${hidden('missing', missing ? 'yes' : '')}${hidden('seen', plan)}`,
        })}
        <a class="plain" href="${batchPath(id)}">No, go back</a>
      </div>
      ${commandShown(retryCommand(id, missing))}`,
  };
}

function downloadsShown({ id }: BatchView): Html {
  return html`<section aria-labelledby="downloads-title">
    <h2 id="downloads-title">Downloads</h2>
    <ul>
      <li><a href="${batchPath(id)}/results.csv">All results as a table (CSV)</a></li>
      <li><a href="${batchPath(id)}/results.jsonl">All results, one JSON object a line</a></li>
    </ul>
    ${commandShown(`dailies batch results ${id}`)}
  </section>`;
}
