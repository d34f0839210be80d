import { html, type Html } from '../../../client/contact-sheet/html';
import { type RunView, type ScheduleView } from '../../../client/schedules';
import { batchPath } from '../batch/batch-rows';
import { productionPath, stateShown, timeShown } from '../parts';

export function schedulePath(name: string): string {
  return `/schedules/${encodeURIComponent(name)}`;
}

/** The last runs of a schedule. Each run links to its production or batch, except in the state `begun`. */
export function runsShown({ runs }: ScheduleView): Html {
  return html`<section aria-labelledby="runs-title">
    <h2 id="runs-title">Past runs</h2>
    ${
      runs.length === 0
        ? html`<p>None has begun.</p>`
        : html`<div class="scrolls" role="region" aria-labelledby="runs-caption" tabindex="0">
            <table>
              <caption id="runs-caption">
                ${runs.length === 1 ? '1 run' : `The last ${runs.length}, the newest first`}
              </caption>
              <thead>
                <tr>
                  ${['Number', 'Run', 'Time', 'State', 'Why', 'Results'].map((name) => html`<th scope="col">${name}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${runs.map(runShown)}
              </tbody>
            </table>
          </div>`
    }
  </section>`;
}

function runShown({ production, kind, number, scheduledAt, by, state, reason, out }: RunView): Html {
  const path = kind === 'batch' ? batchPath(production) : productionPath(production);
  return html`<tr id="run-${production}">
    <td>${number}</td>
    <th scope="row">${state === 'begun' ? production : html`<a href="${path}">${production}</a>`}</th>
    <td>${timeShown(scheduledAt)}${by === 'hand' ? ' by hand' : ''}</td>
    <td>${stateShown(state)}</td>
    <td>${reason ?? ''}</td>
    <td>${out ?? ''}</td>
  </tr>`;
}
