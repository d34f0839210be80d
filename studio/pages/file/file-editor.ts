import { html, type Html } from '../../../client/contact-sheet/html';
import { type FileIssue } from '../../../client/production-file';
import { type EditorWord, editorWords } from '../../../client/production-file/text/editor-schema';
import { type InvalidInput, type PlannedChange } from '../../../client/programs';
import { type Page } from '../../server/page';
import { commandShown, form, hidden } from '../parts';
import { planShown, seenOf } from '../film/plan';

/** A form with a production file's text, its issues and its plan. The text is checked before the plan is shown. */
export interface FileForm {
  readonly title: string;
  readonly intro: Html | null;
  readonly path: string;
  readonly token: (path: string) => Html;
  /** Further fields of the form. */
  readonly fields: Html;
  readonly text: string;
  readonly isReadOnly?: boolean;
  readonly issues?: readonly FileIssue[];
  /** Why the last request was refused. */
  readonly refusal?: string | undefined;
  /** Shown below the form, for example the file as it is now. */
  readonly more?: Html | null;
  /** Undefined if there is none, for example because the text has issues. */
  readonly plan?: PlannedChange | undefined;
  /** Label of the button that agrees to the plan. */
  readonly yes: string;
  /** Whether the form offers to save the text without a render, since it does not change the film. Default: false. */
  readonly savesAlone?: boolean;
  readonly command?: string;
  readonly back: { readonly path: string; readonly label: string };
}

/**
 * Maximum number of issues that are shown. Further issues are only counted: a person corrects the shown issues and
 * checks again.
 */
const ISSUES_SHOWN = 100;

/** A text with more lines has no line numbers, and scrolls in its field. */
const NUMBERED_LINES_MAX = 5_000;

export function filePage(file: FileForm): Page {
  const { title, intro, issues = [], refusal, plan, path, token, more = null, command } = file;
  const check = html`<button name="do" value="check">
    ${plan === undefined ? 'Check, and see what it costs' : 'Check again'}
  </button>`;
  return {
    title,
    status: issues.length > 0 ? 422 : refusal === undefined ? 200 : 409,
    body: html`<h1>${title}</h1>
      ${intro} ${refusal === undefined ? null : html`<p class="message" role="alert">${refusal}</p>`}
      ${issuesShown(issues)}
      ${form(
        path,
        token,
        html`${plan === undefined ? null : agreementShown(file, plan, check)} ${file.fields} ${editorShown(file)}
          <div class="yes">
            ${check}
            ${file.savesAlone === true ? html`<button name="do" value="save">Save the file alone</button>` : null}
            <a class="plain" href="${file.back.path}">${file.back.label}</a>
          </div>`,
      )}
      ${command === undefined ? null : commandShown(command)} ${more}`,
  };
}

/**
 * The plan, and the button that agrees to it. The check button comes first, because Enter in a field presses the first
 * button.
 */
function agreementShown({ yes }: FileForm, plan: PlannedChange, check: Html): Html {
  const how = plan.follows.quote.tasks > 0 ? 'spends' : 'main';
  return html`${planShown(plan.follows)} ${hidden('seen', seenOf(plan))}
    <div class="yes">${check} <button name="do" value="yes" class="${how}">${yes}</button></div>`;
}

function issuesShown(issues: readonly FileIssue[]): Html | null {
  if (issues.length === 0) return null;
  const hiddenCount = issues.length - ISSUES_SHOWN;
  return html`<section class="findings" aria-labelledby="findings-title">
    <h2 id="findings-title">${issues.length === 1 ? 'One mistake' : `${issues.length} mistakes`}</h2>
    <p>Nothing has happened, and nothing was saved.</p>
    <ol id="findings">
      ${issues
        .slice(0, ISSUES_SHOWN)
        .map(
          ({ line, column, message }) =>
            html`<li>
              <a href="#line-${line}" data-line="${line}" data-column="${column}">Line ${line}, column ${column}</a>:
              ${message}
            </li>`,
        )}
    </ol>
    ${hiddenCount > 0 ? html`<p>And ${hiddenCount} more.</p>` : null}
  </section>`;
}

/** A text, with numbers beside its lines if it is not too long, and with completion if it can be changed. */
export function editorShown({
  text,
  isReadOnly = false,
  issues = [],
}: Pick<FileForm, 'text' | 'isReadOnly' | 'issues'>): Html {
  const lines = text.split('\n').length;
  const isLong = lines > NUMBERED_LINES_MAX;
  // A browser drops the first line break in a text area, so a line break precedes the text.
  return html`<file-editor class="editor${isLong ? ' long' : ''}">
      <label for="text">${isReadOnly ? 'The file' : 'Text of the file'}</label>
      <div class="editor-lines">
        ${isLong ? null : numbersShown(lines, issues)}
        <textarea
          id="text"
          name="text"
          rows="${isLong ? 40 : lines + 1}"
          wrap="off"
          spellcheck="false"
          autocapitalize="off"
          autocomplete="off"
          ${isReadOnly ? html`readonly` : null}
          ${issues.length === 0 ? null : html`aria-invalid="true" aria-describedby="findings"`}
        >
${text}</textarea>
      </div>
    </file-editor>
    ${isReadOnly ? null : wordsShown()}`;
}

/** The line numbers. The number of a line with issues has an id, so that the issues' links work without scripts. */
function numbersShown(lines: number, issues: readonly FileIssue[]): Html {
  const wrong = new Set(issues.map(({ line }) => line));
  const parts: Html[] = [];
  for (let line = 1; line <= lines; line += 1) {
    parts.push(wrong.has(line) ? html`<b id="line-${line}">${line}</b>${'\n'}` : html`${line}${'\n'}`);
  }
  return html`<pre class="line-numbers" aria-hidden="true">${parts}</pre>`;
}

/** The keys and models of production files, for the person and for the editor's completion. */
function wordsShown(): Html {
  const { file, shot, models } = editorWords();
  return html`<details class="words">
    <summary>Keys and models</summary>
    ${wordList('file', 'Of the film', file)} ${wordList('shot', 'Of a shot', shot)}
    ${wordList('model', 'Models', models)}
  </details>`;
}

function wordList(kind: string, name: string, words: readonly EditorWord[]): Html {
  return html`<p><b>${name}</b></p>
    <dl data-words="${kind}">
      ${words.map(
        ({ word, means }) =>
          html`<div>
            <dt>${word}</dt>
            <dd>${means}</dd>
          </div>`,
      )}
    </dl>`;
}

/** The issues of a file. Issues without a line, which concern options, are shown at the first line. */
export function fileIssues({ issues }: InvalidInput): readonly FileIssue[] {
  return issues.map((issue) => ('line' in issue ? issue : { file: '', line: 1, column: 1, message: issue.message }));
}
