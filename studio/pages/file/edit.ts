import { html, type Html } from '../../../client/contact-sheet/html';
import { type PlannedChange } from '../../../client/programs';
import { InvalidInput } from '../../../client/programs/invalid-input';
import { isAsSeen } from '../../../client/programs/planned-change';
import { againCommand } from '../../../client/status/again-command';
import { shellWord } from '../../../contracts/terminal-text';
import { NothingToChange, Refused } from '../../../client/wording/refused';
import { afterSaving, readSource, replaceSource, type SourceText } from '../../files/source-file';
import { type Outcome } from '../../server/form-tokens';
import { type ActionRequest, type Page, type PageRequest, type PageRoute, type Section } from '../../server/page';
import { type Studio } from '../../server/studio';
import { statusOf } from '../../views/film-view';
import { fileIssues, filePage } from './file-editor';
import { commandShown, hidden, productionPath } from '../parts';
import { seenIn } from '../film/plan';

export const editing: Section = {
  pages: [editPage()],
  actions: [{ path: '/productions/:id/edit', act: edit }],
};

/** A production and its file. The page shows and writes only this file; a check also reads the files named in it. */
interface EditedProduction {
  readonly id: string;
  readonly title: string;
  readonly isRunning: boolean;
  readonly isPaused: boolean;
  /** Ids of shots that the plan marks as directed (`PlannedShot.directed`). They may differ from the file. */
  readonly directed: readonly string[];
  readonly path: string;
  readonly file: SourceText;
}

function editPage(): PageRoute {
  return {
    path: '/productions/:id/edit',
    async show(studio, request) {
      const edited = await editedProduction(studio, request.params['id'] ?? '');
      if ('title' in edited && 'body' in edited) return edited;
      return editForm(request, edited, { text: edited.file.text });
    },
  };
}

/** The production and its file, or a page that says that the production has no file. */
async function editedProduction(studio: Studio, id: string): Promise<EditedProduction | Page> {
  const { title, state, paused } = await statusOf(studio, id);
  const { store, client } = studio.dailies;
  const path = await client.productions.origin(id);
  if (typeof path !== 'string') return noFile(id, title, path, await againCommand(store, { what: 'production', id }));
  const begun = await store.productions.begun(id);
  const plan = begun === undefined ? undefined : await store.productions.plan(begun);
  const directed = plan?.shots.flatMap((shot) => (shot.directed ? [shot.id] : [])) ?? [];
  const isRunning = state === 'running';
  return { id, title, isRunning, isPaused: paused !== undefined, directed, path, file: await readSource(path) };
}

function noFile(id: string, title: string, origin: null | undefined, again: string): Page {
  const why =
    origin === null
      ? 'A program gave this production as an object, so there is no file to edit. That program can change it.'
      : 'This production has no file of its own, for example because a schedule rendered it from a frozen version.';
  return {
    title: `Edit ${title}`,
    status: 409,
    body: html`<h1>Edit ${title}</h1>
      <p class="message">${why}</p>
      ${again.startsWith('dailies ') ? commandShown(again) : null}
      <p><a href="${productionPath(id)}">Back to the film</a></p>`,
  };
}

interface FormContent {
  /** The text in the form: the file's, or the typed text. */
  readonly text: string;
  readonly plan?: PlannedChange;
  readonly refusal?: string;
  readonly issues?: ReturnType<typeof fileIssues>;
  readonly more?: Html;
  /** Whether the text can be saved without a render. Default: false. */
  readonly savesAlone?: boolean;
}

function editForm({ token }: Pick<PageRequest, 'token'>, edited: EditedProduction, content: FormContent): Page {
  const { id, title, path, file, isRunning, isPaused, directed } = edited;
  const command = isRunning ? `dailies edit ${id} ${shellWord(path)}` : `dailies render ${shellWord(path)} --id ${id}`;
  return filePage({
    title: `Edit ${title}`,
    intro: html`<p>
      The file is <code>${path}</code>.
      ${
        !isRunning
          ? 'The render has ended. If you agree to the plan, the file is saved and the changed shots are rendered.'
          : isPaused
            ? 'The film is paused. Your change applies now; nothing is rendered or paid for until you resume the film.'
            : 'The film is running. Your change takes effect at once, and unchanged shots continue.'
      }
      ${directed.length === 0 ? null : `These shots were directed, for example by a retake, and may differ from the file: ${directed.join(', ')}. A shot follows the file again when you change its entry.`}
    </p>`,
    path: `${productionPath(id)}/edit`,
    token,
    fields: hidden('base', file.version),
    yes: isRunning ? 'Save, and let the film follow' : 'Save and render',
    command,
    back: { path: productionPath(id), label: 'Back to the film' },
    ...content,
  });
}

async function edit(studio: Studio, request: ActionRequest): Promise<Outcome | Page> {
  const edited = await editedProduction(studio, request.params['id'] ?? '');
  if ('title' in edited && 'body' in edited) return edited;
  const text = request.field('text');
  try {
    if (request.field('base') !== edited.file.version) return conflict(request, edited, text);
    const plan = await planOf(studio, edited, text);
    const seen = seenIn(request);
    if (request.field('do') !== 'yes' || seen === undefined) return editForm(request, edited, { text, plan });
    if (!isAsSeen(seen, plan)) return editForm(request, edited, { text, plan, refusal: NOT_AS_SEEN });
    return await carryOut(studio, request, edited, { text, seen });
  } catch (error) {
    // Keep the typed text.
    if (error instanceof InvalidInput) return editForm(request, edited, { text, issues: fileIssues(error) });
    if (error instanceof NothingToChange) return saveAlone(request, edited, text);
    if (error instanceof Refused) return editForm(request, edited, { text, refusal: error.message });
    throw error;
  }
}

const NOT_AS_SEEN = 'Nothing was saved: the plan has changed since you looked, or it costs more. This is the plan now.';

/** Plans the change of the file to this text. Changes nothing. */
function planOf({ dailies }: Studio, { id, path, isRunning }: EditedProduction, text: string): Promise<PlannedChange> {
  const given = { file: path, text };
  return isRunning ? dailies.planEdit(id, given) : dailies.planRender(given, { id });
}

/** Saves the file before rendering, so that the file has the text that is rendered. */
async function carryOut(
  { dailies }: Studio,
  request: ActionRequest,
  edited: EditedProduction,
  { text, seen }: { readonly text: string; readonly seen: PlannedChange },
): Promise<Outcome | Page> {
  const { id, path, isRunning, file } = edited;
  if (!(await replaceSource(path, file.version, text))) {
    return conflict(request, { ...edited, file: await readSource(path) }, text);
  }
  const given = { file: path, text };
  try {
    const to = productionPath(id);
    if (isRunning && (await dailies.edit(id, given, seen)).revised) {
      return { done: 'Saved. The running render follows the file.', to };
    }
    if (!isRunning) await dailies.renderProduction(given, { id, wait: false, seen });
    return { done: 'Saved. The changed shots are rendered now.', to };
  } catch (error) {
    if (!(error instanceof Refused)) throw afterSaving(path, error);
    const refusal = `The file is saved, but nothing else has happened: ${error.message}`;
    return editForm(request, { ...edited, file: await readSource(path) }, { text, refusal });
  }
}

/** Saves, or offers to save, a text that does not change the film, for example a new comment. */
async function saveAlone(request: ActionRequest, edited: EditedProduction, text: string): Promise<Outcome | Page> {
  const { id, path, file } = edited;
  if (request.field('do') === 'save') {
    if (!(await replaceSource(path, file.version, text)))
      return conflict(request, { ...edited, file: await readSource(path) }, text);
    return { done: 'Saved. The film stays as it is.', to: productionPath(id) };
  }
  const isSame = file.text.replaceAll('\r\n', '\n') === text;
  return editForm(request, edited, {
    text,
    refusal: isSame ? 'The film matches this file already; there is nothing to change.' : ONLY_TEXT,
    savesAlone: !isSame,
  });
}

const ONLY_TEXT = 'The film stays the same with this text, so there is nothing to render.';

/** Shows both texts if the file was changed meanwhile. If the person saves again, the typed text replaces the file. */
function conflict(request: ActionRequest, edited: EditedProduction, text: string): Page {
  return editForm(request, edited, {
    text,
    refusal:
      'Nothing was saved: the file has changed since this page was opened. Your text is below, followed by the file as it is now. If you save your text, it replaces the file.',
    more: html`<section aria-labelledby="now-title">
      <h2 id="now-title">The file as it is now</h2>
      <pre class="file-now" tabindex="0">${edited.file.text}</pre>
    </section>`,
  });
}
