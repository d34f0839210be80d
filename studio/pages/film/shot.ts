import { html, type Html } from '../../../client/contact-sheet/html';
import { shellWord } from '../../../contracts/terminal-text';
import { type PlannedChange } from '../../../client/programs';
import { unknownShot } from '../../../client/wording/refused';
import { shotWorkflowId } from '../../../contracts/identifiers';
import { type ActionRequest, type Page, type PageRequest, type PageRoute, type Section } from '../../server/page';
import { type Studio } from '../../server/studio';
import { filmVersion, type FilmView, filmView, type ShotView, versionOf } from '../../views/film-view';
import { shotEvents } from '../../views/shot-events';
import { jointShown } from './joint';
import { parkedShown, resolveActions } from './parked';
import {
  button,
  commandShown,
  elapsedShown,
  form,
  hidden,
  keysShown,
  productionPath,
  shotPath,
  shotStateShown,
  timeShown,
  reasonShown,
} from '../parts';
import { planShown, seenIn, seenOf } from './plan';
import { TAKE_KEYS, takesShown } from './takes';

export const shot: Section = {
  pages: [shotPage()],
  actions: [
    {
      path: '/productions/:id/shots/:shot/approve',
      async act({ dailies }, { params: { id = '', shot: shotId = '' }, field }) {
        const take = await dailies.approve(id, shotId, Number(field('take')));
        return { done: `Take ${take} of "${shotId}" is approved.`, to: nextPath(field('next'), id, shotId) };
      },
    },
    { path: '/productions/:id/shots/:shot/choose', act: choose },
    { path: '/productions/:id/shots/:shot/retake', act: retake },
    ...resolveActions,
  ],
};

/** The page after an action: the inbox if the form was in the inbox, or else the shot's page. */
function nextPath(next: string, id: string, shotId: string): string {
  return next === '/review' ? next : shotPath(id, shotId);
}

function shotPage(): PageRoute {
  return {
    path: '/productions/:id/shots/:shot',
    async show(studio, request) {
      const { id = '', shot: shotId = '' } = request.params;
      const film = await filmView(studio, id);
      const found = film.shots.find((one) => one.id === shotId);
      if (found === undefined)
        throw unknownShot(
          id,
          shotId,
          film.shots.map((one) => one.id),
        );
      return {
        title: `${shotId} · ${film.status.title}`,
        body: shotShown(studio, film, found, request),
        version: versionOf(film.status),
      };
    },
    version: (studio, { params: { id = '' } }) => filmVersion(studio, id),
    showsVersion: true,
  };
}

function shotShown(studio: Studio, film: FilmView, view: ShotView, request: PageRequest): Html {
  const { id, number, status, prompt, model, takes } = view;
  const before = film.shots[number - 2];
  const after = film.shots[number];
  return html`<nav class="crumbs" aria-label="Film">
      <a href="${productionPath(film.id)}">${film.status.title}</a>
      ${before === undefined ? null : html`<a rel="prev" href="${shotPath(film.id, before.id)}">Previous: ${before.id}</a>`}
      ${after === undefined ? null : html`<a rel="next" href="${shotPath(film.id, after.id)}">Next: ${after.id}</a>`}
    </nav>
    <h1>${number}. ${id}</h1>
    <p class="facts">
      ${shotStateShown(view)} ${elapsedShown(view, Date.now())} <span>${model}</span>
      ${view.seconds === null ? null : html`<span>${view.seconds} s</span>`}
      ${view.startsOn === null ? null : html`<span>starts on the last frame of <a href="${shotPath(film.id, view.startsOn)}">${view.startsOn}</a></span>`}
    </p>
    ${status.reason === null ? null : html`<p class="reason">${reasonShown(status.reason)}</p>`}
    ${film.status.paused === undefined ? null : html`<p class="reason">The film is paused: nothing new is sent.</p>`}
    ${parkedShown(film, view, request)}
    <section aria-labelledby="takes-title">
      <h2 id="takes-title">Takes</h2>
      ${takes.length === 0 ? html`<p class="nothing">There is no take yet.</p>` : html`${takesShown(film, view, request)}${keysShown(TAKE_KEYS)}`}
    </section>
    ${jointShown(film, view)}
    <div class="columns">
      <section aria-labelledby="words-title">
        <h2 id="words-title">Request</h2>
        ${isOfOther(view) ? html`<p class="facts">The chosen take was made with a different prompt.</p>` : null}
        ${prompt === null ? null : html`<p class="prompt">${prompt}</p>`} ${parametersShown(view)}
      </section>
      <section aria-labelledby="retake-title">
        <h2 id="retake-title">Another take</h2>
        ${retakeForm(film.id, view, request.token, '')}
      </section>
      ${eventsShown(studio, film, view)}
    </div>`;
}

/** Whether the chosen take was made with a different prompt. False if other shots write texts for this shot. */
function isOfOther({ prompt, shown, frozen }: ShotView): boolean {
  if (shown?.isChosen !== true || shown.prompt === null || frozen?.texts !== undefined) return false;
  return shown.prompt.trim() !== prompt?.trim();
}

/** The form for another take. It leads to a page that shows the plan and price and asks the person to agree. */
export function retakeForm(id: string, view: ShotView, token: PageRequest['token'], next: string): Html {
  const path = `${shotPath(id, view.id)}/retake`;
  return form(
    path,
    token,
    html`${hidden('next', next)}
      <label>Prompt <textarea name="prompt" rows="4">${view.prompt ?? ''}</textarea></label>
      <button>See what it costs</button>`,
  );
}

async function retake(studio: Studio, request: ActionRequest): Promise<Page | { done: string; to: string }> {
  const { dailies } = studio;
  const { id = '', shot: shotId = '' } = request.params;
  const view = (await filmView(studio, id)).shots.find((one) => one.id === shotId);
  const prompt = request.field('prompt').trim();
  const changes = prompt === '' || prompt === view?.prompt?.trim() ? {} : { prompt };
  const seen = seenIn(request);
  if (seen !== undefined) {
    const { revised } = await dailies.retake(id, shotId, changes, seen);
    return {
      done: doneInWords(`Another take of "${shotId}" is on its way`, revised),
      to: nextPath(request.field('next'), id, shotId),
    };
  }
  const plan = await dailies.planRetake(id, shotId, changes);
  const command = `dailies retake ${id} ${shotId}${prompt === '' || changes.prompt === undefined ? '' : ` --prompt ${shellWord(prompt)}`}`;
  const fields = html`${hidden('prompt', prompt)}${hidden('next', request.field('next'))}`;
  return confirmation(request, {
    title: `Another take of ${shotId}`,
    plan,
    path: `${shotPath(id, shotId)}/retake`,
    fields,
    command,
    label: 'Take it again',
  });
}

async function choose(studio: Studio, request: ActionRequest): Promise<Page | { done: string; to: string }> {
  const { dailies } = studio;
  const { id = '', shot: shotId = '' } = request.params;
  const take = Number(request.field('take'));
  const seen = seenIn(request);
  const plan = seen ?? (await dailies.planChoice(id, shotId, take));
  if (seen !== undefined || plan.follows.quote.tasks === 0) {
    const { revised } = await dailies.choose(id, shotId, take, plan);
    return {
      done: doneInWords(`Take ${take} is used for "${shotId}"`, revised),
      to: nextPath(request.field('next'), id, shotId),
    };
  }
  return confirmation(request, {
    title: `Take ${take} for ${shotId}`,
    plan,
    path: `${shotPath(id, shotId)}/choose`,
    fields: html`${hidden('take', String(take))}${hidden('next', request.field('next'))}`,
    command: `dailies choose ${id} ${shotId} ${take}`,
    label: `Choose take ${take}`,
  });
}

function doneInWords(done: string, revised: boolean): string {
  return `${done}. ${revised ? 'The running render continues with this change.' : 'The film is rendered again.'}`;
}

interface Confirmation {
  readonly title: string;
  readonly plan: PlannedChange;
  readonly path: string;
  readonly fields: Html;
  readonly command: string;
  readonly label: string;
  /** Present if the person agreed to a plan that has changed since. */
  readonly refusal?: string;
}

/** A page that shows a plan and asks the person to agree. Nothing has happened yet. */
export function confirmation(
  { token }: ActionRequest,
  { title, plan, path, fields, command, label, refusal }: Confirmation,
): Page {
  const spends = plan.follows.quote.tasks > 0;
  return {
    title,
    status: refusal === undefined ? 200 : 409,
    body: html`<h1>${title}</h1>
      ${refusal === undefined ? null : html`<p class="message" role="alert">${refusal}</p>`} ${planShown(plan.follows)}
      <div class="yes">
        ${button(path, token, { label, how: spends ? 'spends' : 'main', fields: html`${fields}${hidden('seen', seenOf(plan))}` })}
        <a class="plain" href="${path.slice(0, path.lastIndexOf('/'))}">No, go back</a>
      </div>
      ${commandShown(command)}`,
  };
}

function parametersShown({ frozen }: ShotView): Html | null {
  if (frozen === undefined) return null;
  const parameters = Object.entries(frozen.parameters).filter(([name]) => name !== 'prompt');
  return html`<dl>
    ${parameters.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>`,
    )}
  </dl>`;
}

function eventsShown({ temporalUi, dailies }: Studio, film: FilmView, view: ShotView): Html {
  const workflow = shotWorkflowId(dailies.store.id, film.id, view.id);
  return html`<section aria-labelledby="events-title">
    <h2 id="events-title">Events</h2>
    <ol class="events">
      ${shotEvents(view).map(({ at, take, words }) => html`<li>${timeShown(at)} <b>take ${take}</b> ${words}</li>`)}
    </ol>
    ${
      temporalUi === null
        ? null
        : html`<p>
            <a
              href="${temporalUi}/namespaces/${dailies.temporal.options.namespace}/workflows/${encodeURIComponent(workflow)}"
              >The shot's workflow in Temporal's UI</a
            >
          </p>`
    }
  </section>`;
}
