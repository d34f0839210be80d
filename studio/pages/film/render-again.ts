import { stat } from 'node:fs/promises';
import { html, type Html } from '../../../client/contact-sheet/html';
import { againCommand } from '../../../client/status/again-command';
import { renderCommand } from '../../../client/wording/commands';
import { Refused } from '../../../client/wording/refused';
import { isAsSeen } from '../../../client/programs/planned-change';
import { readSource } from '../../files/source-file';
import { type Outcome } from '../../server/form-tokens';
import { type ActionRoute, type Page, type PageRequest } from '../../server/page';
import { type Studio } from '../../server/studio';
import { type FilmView } from '../../views/film-view';
import { button, commandShown, productionPath } from '../parts';
import { PLAN_CHANGED, seenIn } from './plan';
import { confirmation } from './shot';

/** The way to continue a production that has ended or was interrupted. */
export interface Continuation {
  /** Why the render is not running, in words for a person. */
  readonly why: string;
  /** Path of the production file. Null if none is known; the studio then cannot render the production again. */
  readonly file: string | null;
  /** A `dailies` command; if a program gave the production, "the program that started it". */
  readonly command: string;
}

/** The way to continue a production; undefined while the production runs uninterrupted. */
export async function continuationOf({ dailies }: Studio, { id, status }: FilmView): Promise<Continuation | undefined> {
  if (status.state === 'running' && status.held !== true) return undefined;
  const file = (await dailies.client.productions.origin(id)) ?? null;
  const command = await againCommand(dailies.store, { what: 'production', id });
  return { why: await whyNotRunning(status, file), file, command };
}

async function whyNotRunning({ state, held, endedAt }: FilmView['status'], file: string | null): Promise<string> {
  if (held === true) return 'The render was interrupted. Nothing new is bought until you render it again.';
  if (state !== 'completed') return 'The render ended before the film was complete. Paid takes are kept.';
  if (file === null) return 'The film is complete.';
  const isNewer = endedAt !== null && (await wasSavedAfter(file, endedAt));
  return isNewer
    ? 'The file was saved after this render ended.'
    : 'The film is complete. If you change the file, the changed shots are rendered.';
}

async function wasSavedAfter(file: string, at: string): Promise<boolean> {
  const entry = await stat(file).catch(() => undefined);
  return entry !== undefined && entry.mtimeMs > Date.parse(at);
}

export function continuationShown(id: string, { why, file, command }: Continuation, { token }: PageRequest): Html {
  const path = productionPath(id);
  return html`<section aria-labelledby="again-title" class="actions">
    <h2 id="again-title">Render again</h2>
    <p>${why}</p>
    ${
      file === null
        ? html`<p>
            This production has no file of its own. To continue it, use
            ${command.startsWith('dailies ') ? 'the command below' : command}.
          </p>`
        : html`<p><a class="plain" href="${path}/edit">Edit the production file</a></p>
            ${button(`${path}/render`, token, { label: 'See what is left, and what it costs' })}`
    }
    ${command.startsWith('dailies ') ? commandShown(command) : null}
  </section>`;
}

export const renderAgain: ActionRoute = {
  path: '/productions/:id/render',
  async act({ dailies }, request): Promise<Outcome | Page> {
    const { id = '' } = request.params;
    const to = productionPath(id);
    const file = await dailies.client.productions.origin(id);
    if (typeof file !== 'string') {
      throw new Refused(
        `"${id}" has no file of its own. To continue it, use: ${await againCommand(dailies.store, { what: 'production', id })}`,
      );
    }
    const given = { file, text: (await readSource(file)).text };
    const plan = await dailies.planRender(given, { id });
    if (plan.follows.underWay && !plan.follows.joins) {
      return { done: 'The file has changed since the render began. Check the change here first.', to: `${to}/edit` };
    }
    const seen = seenIn(request);
    if (seen === undefined || !isAsSeen(seen, plan)) {
      return confirmation(request, {
        title: `Render ${plan.follows.title} again`,
        ...{ plan, path: `${to}/render`, fields: html``, label: 'Render what is left' },
        command: renderCommand(id, file),
        ...(seen === undefined ? {} : { refusal: PLAN_CHANGED }),
      });
    }
    await dailies.renderProduction(given, { id, wait: false, seen });
    return { done: 'The render continues.', to };
  },
};
