import { createHash } from 'node:crypto';
import { type Sheet, type SheetFilm, type SheetShot } from './contents';
import { shotsInWords } from '../status/shots-in-words';
import { inMegabytes } from '../wording/phrases';
import { clock, inCredits, length } from './figures';
import { html, Html } from './html';
import { fileAttribute, picture, url } from './picture';
import { shot } from './shot';
import { SHEET_STYLE } from './style';

/**
 * The contact sheet as HTML: a page that works from the disk, with the film and the first and last frame of each shot.
 *
 * The page needs only the files in its folder. Its script is optional: without it, a chapter link opens the film file
 * at the chapter's start, and the videos always show their controls.
 */
export function contactSheet(sheet: Sheet): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="dark" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <title>${sheet.title}</title>
        ${new Html(`<style>${SHEET_STYLE}</style>`)}
      </head>
      <body>
        <main>
          ${heading(sheet)} ${sheet.film === null ? noFilm(sheet) : film(sheet.film, sheet.shots)}
          <section class="shots" aria-label="Shots">
            ${numbered(sheet.shots).map(([one, number]) => shot(one, number))}
          </section>
        </main>
        ${new Html(`<script>${SCRIPT}</script>`)}
      </body>
    </html> `;
  return page.markup;
}

const SCRIPT = `
document.querySelectorAll('[data-start]').forEach((chapter) => {
  chapter.addEventListener('click', (event) => {
    const film = document.getElementById('film');
    event.preventDefault();
    film.currentTime = Number(chapter.dataset.start);
    film.play();
  });
});
document.querySelectorAll('.pictures video').forEach((video) => {
  video.controls = false;
  video.addEventListener('pointerenter', () => { video.controls = true; });
  video.addEventListener('focus', () => { video.controls = true; });
  video.addEventListener('pointerleave', () => { video.controls = !video.paused; });
  video.tabIndex = 0;
});
`;

/**
 * Allows only local pictures and films, and the page's own script and style, even if the page contains hostile text. A
 * page on the disk has a `file:` address, which `'self'` does not cover in every browser.
 */
const POLICY = [
  "default-src 'none'",
  "img-src 'self' file:",
  "media-src 'self' file:",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src-elem ${hashOf(SHEET_STYLE)}`,
  // Needed for the widths of the chapters.
  "style-src-attr 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The hash by which the policy allows an inline element. Source: Content Security Policy Level 3, "hash-source". */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function heading({ title, state, film: made, shots, credits, byFallback }: Sheet): Html {
  const facts = [
    made === null ? state : length(made.durationSeconds),
    shotsInWords(
      shots,
      shots.map(({ id }) => id),
    ),
    made?.width != null && made.height !== null ? `${made.width} × ${made.height}` : null,
    made === null ? null : inMegabytes(made.sizeBytes),
    inCredits(credits.charged),
    credits.unclearSubmits === 0 ? null : `${credits.unclearSubmits} unclear`,
    byFallback.length === 0 ? null : `rendered by the fallback: ${byFallback.join(', ')}`,
  ].filter((fact) => fact !== null);
  return html`<header>
    <h1>${title}</h1>
    <ul class="facts">
      ${facts.map((fact) => html`<li>${fact}</li>`)}
    </ul>
  </header>`;
}

function film({ file }: SheetFilm, shots: readonly SheetShot[]): Html {
  const poster = shots.find(({ startSeconds }) => startSeconds !== null)?.takes[0]?.output?.firstFrame ?? null;
  return html`<figure class="film">
    <video
      id="film"
      src="${url(file)}"
      ${fileAttribute('poster', poster)}
      controls
      preload="metadata"
      playsinline
    ></video>
    <nav class="chapters" aria-label="Chapters">${shots.map((one) => chapter(one, file))}</nav>
  </figure>`;
}

function chapter({ id, startSeconds, takes }: SheetShot, file: string): Html | null {
  if (startSeconds === null) return null;
  const output = takes[0]?.output;
  const start = startSeconds.toFixed(2);
  return html`<a
    href="${url(file)}#t=${start}"
    data-start="${start}"
    style="flex-grow: ${output?.durationSeconds ?? 1}"
  >
    ${picture(output?.firstFrame ?? null, '')}
    <span class="time">${clock(startSeconds)}</span><span class="name">${id}</span>
  </a>`;
}

function noFilm({ state, reason }: Sheet): Html {
  const text = state === 'completed' ? 'No film was asked for.' : (reason ?? 'There is no film yet.');
  return html`<p class="no-film">${text}</p>`;
}

/** Numbers the shots. Pictures and texts that other shots use are not in the film, and get no number. */
function numbered(shots: readonly SheetShot[]): readonly (readonly [SheetShot, number | null])[] {
  const used = new Set(
    shots.flatMap(({ links }) => links.filter(({ frame }) => frame === 'whole').map((link) => link.shot)),
  );
  const counted = shots.filter(({ id }) => !used.has(id));
  return shots.map((one) => [one, used.has(one.id) ? null : counted.indexOf(one) + 1]);
}
