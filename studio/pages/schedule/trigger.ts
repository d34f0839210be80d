import { html } from '../../../client/contact-sheet/html';
import { quoteInWords } from '../../../client/plan/plan-in-words';
import { type RunPlan } from '../../../client/schedules';
import { Refused } from '../../../client/wording/refused';
import { type Outcome } from '../../server/form-tokens';
import { type ActionRequest, type Page } from '../../server/page';
import { type Studio } from '../../server/studio';
import { button, commandShown, hidden } from '../parts';
import { schedulePath } from './schedule-runs';

/** Shows the price of a run that a person triggers. Begins the run when the person has agreed. */
export async function trigger({ dailies }: Studio, request: ActionRequest): Promise<Page | Outcome> {
  const { id: name = '' } = request.params;
  if (request.field('seen') === '') return runPlanned(await dailies.schedules.planRun(name), request);
  const plan = request.json('seen') as RunPlan | undefined;
  if (plan === undefined) throw new Refused('The form does not say what was agreed to. Load the page again.');
  return { done: `"${await dailies.schedules.trigger(name, plan)}" has begun.`, to: schedulePath(name) };
}

function runPlanned(plan: RunPlan, { token }: ActionRequest): Page {
  const { schedule: name, version, quote } = plan;
  const title = `A run of ${name}`;
  const path = schedulePath(name);
  return {
    title,
    body: html`<h1>${title}</h1>
      <p>This run renders version ${version} of the schedule now. The next scheduled time does not change.</p>
      <p class="sum">At most ${quote.tasks} ${quote.tasks === 1 ? 'task' : 'tasks'}: ${quoteInWords(quote)}.</p>
      <div class="yes">
        ${button(`${path}/trigger`, token, { label: 'Render it', how: 'spends', fields: hidden('seen', plan) })}
        <a class="plain" href="${path}">No, go back</a>
      </div>
      ${commandShown(`dailies schedule trigger ${name}`)}`,
  };
}
