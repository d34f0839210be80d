import { html, type Html } from '../../../client/contact-sheet/html';
import { quoteInWords } from '../../../client/plan/plan-in-words';
import { type BackfillPlan, type BackfillRequest } from '../../../client/schedules';
import { shellWord } from '../../../contracts/terminal-text';
import { Refused } from '../../../client/wording/refused';
import { type Outcome } from '../../server/form-tokens';
import { type ActionRequest, type Page, type PageRequest } from '../../server/page';
import { type Studio } from '../../server/studio';
import { button, commandShown, form, hidden } from '../parts';
import { schedulePath } from './schedule-runs';

export function backfillForm(
  name: string,
  token: PageRequest['token'],
  typed?: BackfillRequest & { readonly error: string },
): Html {
  return html`<section aria-labelledby="backfill-title">
    <h2 id="backfill-title">Render past times</h2>
    ${typed === undefined ? null : html`<p class="alarm message" role="alert">${typed.error}</p>`}
    ${form(
      `${schedulePath(name)}/backfill`,
      token,
      html`<label
          >From
          <input
            name="from"
            required
            placeholder="2026-11-22T02:00:00Z"
            value="${typed?.from ?? ''}"
            autocomplete="off"
        /></label>
        <label
          >To
          <input name="to" required placeholder="2026-11-24T02:00:00Z" value="${typed?.to ?? ''}" autocomplete="off"
        /></label>
        <button>See what it costs</button>`,
    )}
    ${commandShown(`dailies schedule backfill ${name} --from INSTANT --to INSTANT`)}
  </section>`;
}

/** Shows the number and price of the runs in a period. Begins the runs once the person has agreed. */
export async function backfill({ dailies }: Studio, request: ActionRequest): Promise<Page | Outcome> {
  const { id: name = '' } = request.params;
  const period = { from: request.field('from').trim(), to: request.field('to').trim() };
  if (request.field('seen') !== '') {
    const plan = request.json('seen') as BackfillPlan | undefined;
    if (plan === undefined) throw new Refused('The form does not say what was agreed to. Load the page again.');
    const { due, had } = await dailies.schedules.backfill(name, period, plan);
    const begun = due - had;
    const begin = begun === 1 ? '1 run begins' : `${begun} runs begin`;
    return { done: `${begin}; ${had} of the times already had a run.`, to: schedulePath(name) };
  }
  try {
    return backfillPlanned(name, period, await dailies.schedules.planBackfill(name, period), request);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const body = html`<h1>${name}</h1>
      ${backfillForm(name, request.token, { ...period, error: error.message })}
      <p><a href="${schedulePath(name)}">Back to the schedule</a></p>`;
    return { title: name, status: 422, body };
  }
}

function backfillPlanned(
  name: string,
  { from, to }: BackfillRequest,
  plan: BackfillPlan,
  { token }: ActionRequest,
): Page {
  const { due, had, quote } = plan;
  const runs = due - had;
  const title = `${runs} ${runs === 1 ? 'run' : 'runs'} of ${name}`;
  const path = schedulePath(name);
  return {
    title,
    body: html`<h1>${title}</h1>
      <p>
        ${due} ${due === 1 ? 'time' : 'times'} from ${from} to ${to}. ${had} of them already had a run; nothing is paid
        for again.
      </p>
      ${runs === 0 ? null : html`<p class="sum">At most ${quote.tasks} ${quote.tasks === 1 ? 'task' : 'tasks'}: ${quoteInWords(quote)}.</p>`}
      <div class="yes">
        ${
          runs === 0
            ? null
            : button(`${path}/backfill`, token, {
                label: 'Render them',
                how: 'spends',
                fields: html`${hidden('from', from)}${hidden('to', to)}${hidden('seen', plan)}`,
              })
        }
        <a class="plain" href="${path}">${runs === 0 ? 'Back' : 'No, go back'}</a>
      </div>
      ${commandShown(`dailies schedule backfill ${name} --from ${shellWord(from)} --to ${shellWord(to)}`)}`,
  };
}
