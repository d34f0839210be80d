import { html, type Html } from '../../../client/contact-sheet/html';
import { type ScheduleView, storedSchedules, timesInWords } from '../../../client/schedules';
import { Refused } from '../../../client/wording/refused';
import { type ActionRequest, type Page, type PageRequest, type Section } from '../../server/page';
import { type Outcome } from '../../server/form-tokens';
import { type Studio } from '../../server/studio';
import { button, commandShown, form, hidden, stateShown, timeShown } from '../parts';
import { recentVersion } from '../../views/recent-version';
import { backfill, backfillForm } from './backfill';
import { trigger } from './trigger';
import { runsShown, schedulePath } from './schedule-runs';
import {
  checkVersion,
  commandOf,
  optionsOf,
  scheduleFields,
  type TypedSchedule,
  typedIn,
  typedOf,
} from './schedule-form';
import { ifTemporalAnswers } from '../../views/if-temporal-answers';

export const schedules: Section = {
  pages: [
    {
      path: '/schedules',
      show: async (studio, request) => listPage(await readSchedules(studio), request),
      version: (studio) => recentVersion(studio, '/schedules', async () => JSON.stringify(await readSchedules(studio))),
    },
    {
      path: '/schedules/:id',
      async show(studio, request) {
        return schedulePage(await readSchedule(studio, request.params['id'] ?? ''), request);
      },
      version: (studio, { params: { id = '' } }) =>
        recentVersion(studio, schedulePath(id), async () => JSON.stringify(await readSchedule(studio, id))),
    },
  ],
  actions: [
    { path: '/schedules', act: create },
    { path: '/schedules/:id/update', act: update },
    {
      path: '/schedules/:id/pause',
      async act({ dailies }, { params: { id = '' } }) {
        await dailies.schedules.pause(id);
        return { done: 'Paused. A run that has begun continues; no other scheduled run begins.', to: schedulePath(id) };
      },
    },
    {
      path: '/schedules/:id/resume',
      async act({ dailies }, { params: { id = '' } }) {
        await dailies.schedules.resume(id);
        return {
          done: 'Resumed. The next run begins at its time; times that have passed are not rendered.',
          to: schedulePath(id),
        };
      },
    },
    { path: '/schedules/:id/trigger', act: trigger },
    { path: '/schedules/:id/backfill', act: backfill },
    {
      path: '/schedules/:id/delete',
      async act({ dailies }, { params: { id = '' } }) {
        await dailies.schedules.delete(id);
        return { done: `"${id}" is deleted. Its runs stay, and a run that has begun continues.`, to: '/schedules' };
      },
    },
  ],
};

async function readSchedules(studio: Studio): Promise<readonly ScheduleView[]> {
  return (await ifTemporalAnswers(studio, () => studio.dailies.schedules.list())) ?? storedOnly(studio).list();
}

async function readSchedule(studio: Studio, name: string): Promise<ScheduleView> {
  return (await ifTemporalAnswers(studio, () => studio.dailies.schedules.show(name))) ?? storedOnly(studio).show(name);
}

function storedOnly({ dailies, account, config }: Studio): ReturnType<typeof storedSchedules> {
  return storedSchedules(dailies.store, account, config.prices ?? {});
}

const FIRES = 'A schedule starts its runs only while Temporal and a worker run.';

function listPage(all: readonly ScheduleView[], { token }: Pick<PageRequest, 'token'>, typed?: TypedSchedule): Page {
  return {
    title: 'Schedules',
    ...(typed === undefined ? {} : { status: 422 as const }),
    body: html`<h1>Schedules</h1>
      ${all.length === 0 ? html`<p>There is no schedule yet. A schedule renders a production or a batch at given times.</p>` : tableShown(all)}
      <section aria-labelledby="new-title">
        <h2 id="new-title">New schedule</h2>
        ${typed === undefined ? null : html`<p class="alarm message" role="alert">${typed.error}</p>`}
        ${form('/schedules', token, html`${scheduleFields(typed, true)}<button class="main">Create it</button>`)}
        <p>${FIRES} Each run is paid for when it begins.</p>
        ${commandShown(typed === undefined ? 'dailies schedule create NAME FILE --cron "0 2 * * 1-5"' : commandOf('create', typed.name, typed))}
      </section>`,
  };
}

function tableShown(all: readonly ScheduleView[]): Html {
  return html`<div class="scrolls" role="region" aria-labelledby="schedules-caption" tabindex="0">
    <table>
      <caption id="schedules-caption">
        ${all.length} ${all.length === 1 ? 'schedule' : 'schedules'}
      </caption>
      <thead>
        <tr>
          ${['Schedule', 'State', 'Renders', 'When', 'Next', 'Last run'].map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${all.map((view) => {
          const [next] = view.nextTimes;
          const [last] = view.runs;
          return html`<tr id="schedule-${view.schedule}">
            <th scope="row"><a href="${schedulePath(view.schedule)}">${view.schedule}</a></th>
            <td>${stateShown(view.state)}</td>
            <td>${fileOf(view)}</td>
            <td>${timesInWords(view)}</td>
            <td>${next === undefined || view.state === 'paused' ? '' : timeShown(next)}</td>
            <td>${last === undefined ? '' : html`${timeShown(last.scheduledAt)} ${stateShown(last.state)}`}</td>
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

function fileOf({ file }: ScheduleView): string {
  return file.given ? 'an object that a program gave' : file.path;
}

function schedulePage(view: ScheduleView, { token }: Pick<PageRequest, 'token'>, typed?: TypedSchedule): Page {
  const { schedule: name, state, note, timing, file, nextTimes, troubles, counts, out } = view;
  return {
    title: name,
    ...(typed === undefined ? {} : { status: 422 as const }),
    body: html`<nav class="crumbs" aria-label="Schedules"><a href="/schedules">All schedules</a></nav>
      <h1>${name}</h1>
      <p class="facts">
        ${stateShown(state)} <span>${timesInWords(view)}</span>
        ${state === 'unknown' ? html`<span>Temporal does not answer or does not have this schedule, so the next times are not known.</span>` : null}
      </p>
      ${note === null || note === '' ? null : html`<p class="reason">${note}</p>`}
      ${troubles.map(({ production, reason }) => html`<p class="alarm">${production} cannot begin: ${reason}</p>`)}
      <dl>
        ${fact('Renders', html`${fileOf(view)}, schedule version ${file.version}, the file as it was at ${timeShown(file.frozenAt)}`)}
        ${fact('If a run is still under way', html`${timing.overlap}`)}
        ${fact('If a run ends incomplete', html`${timing.pauseOnFailure ? 'the schedule pauses' : 'the schedule continues'}`)}
        ${fact('Results', html`${out ?? 'stay in the store'}`)}
        ${counts === null ? null : fact('So far', html`${counts.started} started, ${counts.skipped} skipped, ${counts.missed} missed`)}
      </dl>
      <section aria-labelledby="next-title">
        <h2 id="next-title">Next times</h2>
        ${
          nextTimes.length === 0 || state === 'paused'
            ? html`<p>${state === 'paused' ? 'None while it is paused.' : 'None is known.'}</p>`
            : html`<ol>
                ${nextTimes.slice(0, 5).map((at) => html`<li>${timeShown(at)}</li>`)}
              </ol>`
        }
        <p>${FIRES}</p>
      </section>
      ${runsShown(view)} ${controlShown(view, token)} ${backfillForm(name, token)} ${updateForm(view, token, typed)}`,
  };
}

function fact(name: string, value: Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function controlShown({ schedule: name, state }: ScheduleView, token: PageRequest['token']): Html {
  const path = schedulePath(name);
  const verb = state === 'paused' ? 'resume' : 'pause';
  const label = state === 'paused' ? 'Resume' : 'Pause';
  return html`<section aria-labelledby="control-title" class="actions">
    <h2 id="control-title">Control</h2>
    ${button(`${path}/${verb}`, token, { label, how: verb === 'resume' ? 'spends' : 'plain' })}
    ${commandShown(`dailies schedule ${verb} ${name}`)} ${button(`${path}/trigger`, token, { label: 'Render it now' })}
    ${commandShown(`dailies schedule trigger ${name}`)}
    <details>
      <summary>Delete the schedule</summary>
      <p>Its runs stay, and a run that has begun continues.</p>
      ${button(`${path}/delete`, token, { label: `Delete ${name}` })} ${commandShown(`dailies schedule delete ${name}`)}
    </details>
  </section>`;
}

function updateForm(view: ScheduleView, token: PageRequest['token'], typed?: TypedSchedule): Html {
  const { schedule: name } = view;
  // A refused form keeps the version that the person saw, so that a second click does not overwrite a newer version.
  const shown = typed ?? typedOf(view);
  return html`<section aria-labelledby="update-title">
    <h2 id="update-title">Change it</h2>
    ${typed === undefined ? null : html`<p class="alarm message" role="alert">${typed.error}</p>`}
    <p>Runs that have begun do not change. If you give no file, the schedule keeps its present version of the file.</p>
    ${form(`${schedulePath(name)}/update`, token, html`${hidden('version', shown.version)}${scheduleFields(shown, false)}<button>Change it</button>`)}
    ${commandShown(commandOf('update', name, shown))}
  </section>`;
}

async function create(studio: Studio, request: ActionRequest): Promise<Page | Outcome> {
  const typed = typedIn(request);
  try {
    const out = typed.out === '' ? `out/${typed.name}` : typed.out;
    await studio.dailies.schedules.create(typed.name, fileIn(typed), { ...optionsOf(typed), out });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return listPage(await readSchedules(studio), request, { ...typed, error: error.message });
  }
  return { done: `"${typed.name}" is created.`, to: schedulePath(typed.name) };
}

async function update(studio: Studio, request: ActionRequest): Promise<Page | Outcome> {
  const { id: name = '' } = request.params;
  const typed = { ...typedIn(request), name };
  try {
    await checkVersion(studio.dailies, name, request.field);
    const file = typed.file === '' ? {} : { file: fileIn(typed) };
    const out = typed.out === '' ? {} : { out: typed.out };
    await studio.dailies.schedules.update(name, { ...optionsOf(typed), ...file, ...out });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return schedulePage(await readSchedule(studio, name), request, { ...typed, error: error.message });
  }
  return { done: 'Changed. The change applies from the next run on.', to: schedulePath(name) };
}

/** @throws Refused if no file is named. */
function fileIn({ file }: TypedSchedule): string {
  if (file === '') throw new Refused('Name the file of a production or batch.');
  return file;
}
