import { html, type Html } from '../../client/contact-sheet/html';
import { type Page } from '../server/page';

export function notFound(): Page {
  return {
    title: 'Not here',
    status: 404,
    body: html`<div class="empty">
      <h1>There is no such page</h1>
      <p>The address may belong to a film that this store does not have.</p>
      <p><a class="plain" href="/">All films</a></p>
    </div>`,
  };
}

export function tooLarge(): Page {
  return {
    title: 'Too large',
    status: 413,
    body: html`<h1>The form is too large</h1>
      <p class="message">A form, with the file in it, can be at most 64 MiB. Nothing has happened.</p>
      <p><a href="/">All films</a></p>`,
  };
}

/** The page of an unknown id, such as a production's. */
export function unknownPage({ message }: Error): Page {
  return {
    title: 'Not here',
    status: 404,
    body: html`<div class="empty">
      <h1>There is no such page</h1>
      <p class="message">${message}</p>
      <p><a class="plain" href="/">All films</a></p>
    </div>`,
  };
}

/** Shown instead of a page that answered a form, for example with a plan, if the studio has dropped that page. */
export function answerGone(): Page {
  return {
    title: 'Not kept',
    status: 404,
    body: html`<div class="empty">
      <h1>This page is not kept any more</h1>
      <p>It showed a plan, or another answer to a form. Opening it again has changed nothing.</p>
      <p><a class="plain" href="/">All films</a></p>
    </div>`,
  };
}

/**
 * The page of a refusal or of an unexpected error.
 *
 * @param isRefusal false for an unexpected error, whose page points to the terminal.
 * @param back path of the page with the form; undefined if unknown.
 */
export function refusedPage(error: Error, isRefusal: boolean, back?: string): Page {
  return {
    title: isRefusal ? 'Not possible now' : 'Something went wrong',
    status: isRefusal ? 409 : 500,
    body: html`<div class="empty">
      <h1>${isRefusal ? 'Not possible now' : 'Something went wrong'}</h1>
      <p class="message">${error.message}</p>
      ${effectShown(error, isRefusal)}
      <p>
        ${back === undefined ? null : html`<a class="plain" href="${back}">Back</a>`}
        <a class="plain" href="/">All films</a>
      </p>
    </div>`,
  };
}

/** Says that a refusal has changed nothing, unless its message has "nothing". For an error, points to the terminal. */
function effectShown({ message }: Error, isRefusal: boolean): Html | null {
  if (!isRefusal) return html`<p>The terminal that runs the studio shows more.</p>`;
  return /\bnothing\b/i.test(message) ? null : html`<p>Nothing has happened.</p>`;
}
