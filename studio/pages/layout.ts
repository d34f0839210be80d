import { html, Html } from '../../client/contact-sheet/html';
import { type Page } from '../server/page';
import { type Studio } from '../server/studio';

const SECTIONS: readonly (readonly [string, string])[] = [
  ['/', 'Films'],
  ['/review', 'Review'],
  ['/queue', 'Queue'],
  ['/schedules', 'Schedules'],
  ['/new', 'New'],
];

/**
 * The beginning of every document, which can be sent before the page is made. It names the fonts too, because a browser
 * would otherwise request the fonts only after the style sheet. It does not name the scripts, because requests for
 * scripts would slow the making of the page.
 */
export const BEGINNING = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<link rel="icon" href="/studio/icon.svg">
<link rel="stylesheet" href="/studio/studio.css">
<link rel="preload" href="/studio/manrope-400.ttf" as="font" type="font/ttf" crossorigin>
<link rel="preload" href="/studio/manrope-600.ttf" as="font" type="font/ttf" crossorigin>
`;

export interface LayoutContext {
  /** Path of the request. */
  readonly path: string;
  /** What the last action did, in words; null if there is nothing to show. */
  readonly done: string | null;
  /** One text for each trouble of the whole account. */
  readonly troubles: readonly Html[];
  /** Version of the page; null if the page does not change by itself. */
  readonly version: string | null;
}

/** The rest of the document: title, navigation, troubles, the last outcome, and the page's body. */
export function layout(studio: Studio, { title, body }: Page, { path, done, troubles, version }: LayoutContext): Html {
  return html`<script type="module" src="/studio/studio.js"></script>
    <title>${title} · Dailies</title>
    ${new Html('</head>')}
    <body>
      <a class="skip" href="#main">Skip to content</a>
      <header class="top">
        <a class="brand" href="/">Dailies</a>
        <nav aria-label="Studio">
          ${SECTIONS.map(([to, name]) => html`<a href="${to}" ${isIn(to, path) ? html`aria-current="page"` : null}>${name}</a>`)}
        </nav>
        <p class="account">${studio.isSandbox ? 'Sandbox, no real money' : `Account ${studio.account}`}</p>
      </header>
      <div id="live" aria-live="polite" class="notes">
        ${troubles.map((trouble) => html`<p class="trouble" role="status">${trouble}</p>`)}
        ${done === null ? null : html`<p class="done" role="status">${done}</p>`}
      </div>
      <main id="main" tabindex="-1" ${version === null ? null : html`data-version="${version}"`}>${body}</main>
    </body>
    ${new Html('</html>')}`;
}

/** Pages of productions and batches belong to Films. */
function isIn(section: string, path: string): boolean {
  if (section === '/') return path === '/' || /^\/(productions|batches)\//.test(path);
  return path === section || path.startsWith(`${section}/`);
}
