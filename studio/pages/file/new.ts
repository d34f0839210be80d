import { join } from 'node:path';
import { html, type Html } from '../../../client/contact-sheet/html';
import { type PlannedChange } from '../../../client/programs';
import { InvalidInput } from '../../../client/programs/invalid-input';
import { isAsSeen } from '../../../client/programs/planned-change';
import { shellWord } from '../../../contracts/terminal-text';
import { Refused } from '../../../client/wording/refused';
import { copyExample, type Example, exampleOf, examples, originalPath, ownCopy } from '../../files/examples';
import { afterSaving, createSource, readSource, versionOfText } from '../../files/source-file';
import { type WorkingFile, workingFilePath, workingFiles } from '../../files/working-files';
import { type Outcome } from '../../server/form-tokens';
import { type ActionRequest, type Page, type PageRequest, type PageRoute, type Section } from '../../server/page';
import { type Studio } from '../../server/studio';
import { editorShown, fileIssues, filePage } from './file-editor';
import { button, form, hidden, productionPath } from '../parts';
import { PLAN_CHANGED, seenIn } from '../film/plan';

export const newProduction: Section = {
  pages: [newPage()],
  actions: [
    {
      path: '/new/example',
      async act(studio, request) {
        const name = request.field('name');
        const example = await exampleOf(name);
        if (example === undefined) throw new Refused(`There is no example "${name}".`);
        const copy = await ownCopy(example, studio.workingFolder);
        const editable = copy ?? join(studio.workingFolder, name);
        return begin(studio, request, {
          path: '/new/example',
          title: example.title,
          intro: html`<p>
            ${example.summary}
            ${copy === undefined ? `If you agree, the example is copied to ${editable}, where you can edit it.` : `It is rendered from ${editable}, which you can edit.`}
          </p>`,
          fields: hidden('name', name),
          file: copy ?? originalPath(example),
          text: example.text,
          isReadOnly: true,
          createFile: () => copyExample(example, studio.workingFolder),
        });
      },
    },
    {
      path: '/new/file',
      async act(studio, request) {
        const name = request.field('name');
        const file = await workingFilePath(studio.workingFolder, name);
        if (file === undefined)
          throw new Refused(`There is no file "${name}" in this folder or its subfolder "productions".`);
        return begin(studio, request, {
          path: '/new/file',
          title: name,
          intro: html`<p>To change this file, edit it in your editor and check it again.</p>`,
          fields: hidden('name', name),
          file,
          text: (await readSource(file)).text,
          isReadOnly: true,
          createFile: () => Promise.resolve(file),
        });
      },
    },
    { path: '/new/own', act: beginOwn },
  ],
};

/** The production that a person has chosen to render. */
interface Choice {
  readonly path: string;
  readonly title: string;
  readonly intro: Html | null;
  readonly fields: Html;
  /** Path of the file that is planned. The rendered file may be a copy: see `createFile`. */
  readonly file: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  /** Creates the file that is rendered, if it does not exist yet. @returns its path. */
  createFile(): Promise<string>;
}

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\.yaml$/;

const STARTER_TEXT = `title: My film

shots:
  - id: night
    model: beta-video
    prompt: A harbour at night from above, lamps mirrored in still water; slow crane down, 35mm.
    duration: 4
    resolution: 480p
  - id: morning
    model: beta-video
    prompt: The camera comes to rest at the quay as the sky turns gold.
    duration: 4
    resolution: 480p
    startFrame: { lastFrameOf: night }
`;

async function beginOwn(studio: Studio, request: ActionRequest): Promise<Outcome | Page> {
  const name = request.field('name').trim();
  const text = request.field('text');
  const file = join(studio.workingFolder, name);
  const choice: Choice = {
    path: '/new/own',
    title: 'A file of your own',
    intro: html`<p>If you agree, it is written into ${studio.workingFolder}. Existing files are never overwritten.</p>`,
    fields: nameField(name),
    file,
    text,
    isReadOnly: false,
    createFile: () => createSource(file, text).then(() => file),
  };
  if (FILE_NAME.test(name)) return begin(studio, request, choice);
  const refusal = `"${name}" is not a valid file name. Start with a letter or digit; then use up to 63 letters, digits, dots, dashes or underscores, and .yaml at the end, for example my-film.yaml.`;
  return choiceForm(request, choice, { refusal });
}

/** Shows the plan and its price. Starts the render when the person has agreed to this plan. */
async function begin(studio: Studio, request: ActionRequest, choice: Choice): Promise<Outcome | Page> {
  const { dailies } = studio;
  const { file, text } = choice;
  const isYes = request.field('do') === 'yes';
  let saved: string | undefined;
  try {
    const plan = await dailies.planRender({ file, text });
    const { production, underWay, joins } = plan.follows;
    if (underWay && !joins) return choiceForm(request, choice, { refusal: otherVersion(production) });
    const seen = seenIn(request);
    if (!isYes || seen === undefined) return choiceForm(request, choice, { plan });
    if (request.field('base') !== versionOfText(text) || !isAsSeen(seen, plan)) {
      return choiceForm(request, choice, { plan, refusal: PLAN_CHANGED });
    }
    saved = await choice.createFile();
    const rendered = await dailies.renderProduction({ file: saved, text }, { wait: false, seen });
    return { done: `"${rendered.title}" has begun.`, to: productionPath(rendered.production) };
  } catch (error) {
    if (saved === undefined && error instanceof InvalidInput)
      return choiceForm(request, choice, { issues: fileIssues(error) });
    if (!(error instanceof Refused)) throw saved === undefined ? error : afterSaving(saved, error);
    if (saved === undefined && choice.isReadOnly) throw error;
    // Keep the typed text.
    const where = saved === undefined ? '' : ` (the file is saved as ${saved})`;
    return choiceForm(request, choice, { refusal: `${error.message}${where}` });
  }
}

function otherVersion(production: string): string {
  return `"${production}" is running with another version of its file. Edit it on its own page, or wait until it has ended; nothing has happened.`;
}

interface FormContent {
  readonly plan?: PlannedChange;
  readonly refusal?: string;
  readonly issues?: ReturnType<typeof fileIssues>;
}

function choiceForm({ token }: ActionRequest, choice: Choice, content: FormContent): Page {
  const { path, title, intro, fields, file, text, isReadOnly } = choice;
  // The plan is for this text. A form that sends the plan with another text is refused.
  const base = content.plan === undefined ? null : hidden('base', versionOfText(text));
  return filePage({
    ...{ title, intro, path, token, text, isReadOnly, ...content },
    fields: html`${fields}${base}`,
    yes: isReadOnly ? 'Render it' : 'Save and render it',
    // A file that a person has typed here is not saved yet, so no command can render it.
    ...(content.plan === undefined || !isReadOnly ? {} : { command: `dailies render ${shellWord(file)}` }),
    back: { path: '/new', label: 'Back to the choice' },
  });
}

function newPage(): PageRoute {
  return {
    path: '/new',
    async show({ workingFolder }, { token }) {
      const offered = await examples();
      const copies = await Promise.all(offered.map((example) => ownCopy(example, workingFolder)));
      // An unchanged copy of an example is listed among the examples only.
      const files = (await workingFiles(workingFolder)).filter(
        ({ name }) => !copies.includes(join(workingFolder, name)),
      );
      return {
        title: 'New production',
        body: html`<h1>New production</h1>
          <p>You see the plan and its price first. Nothing is rendered before you agree.</p>
          ${examplesShown(offered, token)} ${filesShown(workingFolder, files, token)}
          <section aria-labelledby="own-title">
            <h2 id="own-title">A file of your own</h2>
            ${ownForm(token)}
          </section>`,
      };
    },
  };
}

function examplesShown(offered: readonly Example[], token: PageRequest['token']): Html {
  return html`<section aria-labelledby="examples-title">
    <h2 id="examples-title">Examples</h2>
    <ul class="choices">
      ${offered.map(
        ({ name, title, shots, summary }) =>
          html`<li>
            <h3>${title}</h3>
            <p>${shotsShown(shots)}. ${summary}</p>
            ${choiceButton('/new/example', token, name, title)}
          </li>`,
      )}
    </ul>
  </section>`;
}

function filesShown(workingFolder: string, files: readonly WorkingFile[], token: PageRequest['token']): Html {
  return html`<section aria-labelledby="files-title">
    <h2 id="files-title">Files in this folder</h2>
    ${
      files.length === 0
        ? html`<p>There are no productions of your own in ${workingFolder} or its subfolder "productions".</p>`
        : html`<ul class="choices">
            ${files.map(
              ({ name, outline }) =>
                html`<li>
                  <h3>${outline?.title ?? name}</h3>
                  <p><code>${name}</code>${outline === null ? null : html`, ${shotsShown(outline.shots)}`}</p>
                  ${choiceButton('/new/file', token, name, name)}
                </li>`,
            )}
          </ul>`
    }
  </section>`;
}

function shotsShown(shots: number): string {
  return shots === 1 ? '1 shot' : `${shots} shots`;
}

function choiceButton(path: string, token: PageRequest['token'], name: string, title: string): Html {
  return button(path, token, { label: `See what ${title} costs`, fields: hidden('name', name) });
}

function ownForm(token: PageRequest['token']): Html {
  return form(
    '/new/own',
    token,
    html`${nameField('my-film.yaml')} ${editorShown({ text: STARTER_TEXT })}
      <div class="yes"><button>Check, and see what it costs</button></div>`,
  );
}

function nameField(name: string): Html {
  return html`<label>Name of the file <input name="name" required value="${name}" autocomplete="off" /></label>`;
}
