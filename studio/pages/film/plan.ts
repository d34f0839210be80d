import { z } from 'zod';
import { html, type Html } from '../../../client/contact-sheet/html';
import { type PlannedChange } from '../../../client/programs';
import { budgetInWords, shotInWords, summary, unclearInWords } from '../../../client/plan/plan-in-words';
import { Refused } from '../../../client/wording/refused';
import { RenderPlan } from '../../../contracts/render/render-plan';
import { type ActionRequest } from '../../server/page';

/** Shown if the person's agreement to an earlier plan does not cover the present one. */
export const PLAN_CHANGED = 'Nothing has happened: the plan has changed since you looked. This is the plan now.';

/** The plan of a change: the price, and each shot except those that are only reused. */
export function planShown(plan: RenderPlan): Html {
  const shots = plan.shots.filter(({ action, newTakes }) => action !== 'reused' || newTakes > 0);
  return html`<div class="plan">
    ${
      shots.length === 0
        ? html`<p>No shot changes.</p>`
        : html`<table>
            <caption>
              What follows
            </caption>
            <thead>
              <tr>
                <th scope="col">Shot</th>
                <th scope="col">What happens</th>
              </tr>
            </thead>
            <tbody>
              ${shots.map(
                (shot) =>
                  html`<tr class="plan-${shot.action}">
                    <th scope="row">${shot.shot}</th>
                    <td>${shotInWords(shot, plan.production).replaceAll(/ {2,}/g, ', ')}</td>
                  </tr>`,
              )}
            </tbody>
          </table>`
    }
    <p class="sum">${summary(plan)}</p>
    ${budgetInWords(plan).map((line) => html`<p>${line}</p>`)}
    ${unclearInWords(plan).map((line) => html`<p class="alarm">${line}</p>`)}
  </div>`;
}

/** The part of a plan that a form carries: enough to notice later that the plan has changed. */
export function seenOf({ follows, version }: PlannedChange): PlannedChange {
  return {
    version,
    follows: {
      ...follows,
      shots: follows.shots.map((shot) => ({ ...shot, changes: [], reason: null, directed: null, chosenOver: null })),
    },
  };
}

const Seen = z.object({ version: z.string(), follows: RenderPlan });

/**
 * The plan that a person has agreed to; undefined if the form's field `seen` is empty.
 *
 * @throws Refused if the field is not empty and has no valid plan.
 */
export function seenIn({ field, json }: Pick<ActionRequest, 'field' | 'json'>): PlannedChange | undefined {
  if (field('seen') === '') return undefined;
  const parsed = Seen.safeParse(json('seen'));
  if (parsed.success) return parsed.data;
  throw new Refused('The form does not say what was agreed to. Load the page again; nothing has happened.');
}
