import { html, Html } from './html';
import { type Sheet, type SheetFilm, type SheetLink, type SheetShot, type SheetTake } from './sheet';
import { joint } from './sheet-joint';
import { SHEET_STYLE } from './sheet-style';

/**
 * The contact sheet: one page that plays from the disk, with the film, and each shot with its first and last frame.
 *
 * It needs nothing but the files beside it. The few lines of script let a chapter jump within the film, where it would
 * open the film at its time otherwise, and keep the players' controls off the pictures until they are wanted.
 */
export function contactSheet(sheet: Sheet): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="dark" />
        <title>${sheet.title}</title>
        <style>
          ${new Html(SHEET_STYLE)}
        </style>
      </head>
      <body>
        <main>
          ${heading(sheet)} ${sheet.film === null ? noFilm(sheet) : film(sheet.film, sheet.shots)}
          <section class="shots" aria-label="Shots">
            ${numbered(sheet.shots).map(([one, number]) => shot(one, number))}
          </section>
        </main>
        <script>
          ${new Html(SCRIPT)};
        </script>
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

function heading({ title, state, film: made, shots, credits, byFallback }: Sheet): Html {
  const facts = [
    made === null ? state : length(made.durationSeconds),
    `${shots.length} ${shots.length === 1 ? 'shot' : 'shots'}`,
    made?.width != null && made.height !== null ? `${made.width} × ${made.height}` : null,
    made === null ? null : size(made.sizeBytes),
    `${number(credits.charged)} credits`,
    credits.unclearSubmits === 0 ? null : `${credits.unclearSubmits} unclear`,
    byFallback.length === 0 ? null : `by the fallback: ${byFallback.join(', ')}`,
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
    <video id="film" src="${url(file)}" ${attribute('poster', poster)} controls preload="metadata" playsinline></video>
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
  const words = state === 'completed' ? 'No film was asked for.' : (reason ?? 'There is no film yet.');
  return html`<p class="no-film">${words}</p>`;
}

/** Pictures and texts that other shots use are no shots of the film, and have no number. */
function numbered(shots: readonly SheetShot[]): readonly (readonly [SheetShot, number | null])[] {
  const used = new Set(
    shots.flatMap(({ links }) => links.filter(({ frame }) => frame === 'whole').map((link) => link.shot)),
  );
  const counted = shots.filter(({ id }) => !used.has(id));
  return shots.map((one) => [one, used.has(one.id) ? null : counted.indexOf(one) + 1]);
}

function shot(one: SheetShot, number: number | null): Html {
  const [shown] = one.takes;
  return html`<article id="${anchor(one.id)}" class="${one.state}">
    <div class="slate">
      ${number === null ? null : html`<span class="number">${String(number).padStart(2, '0')}</span>`}
      <h2>${one.id}</h2>
      ${one.state === 'completed' ? null : html`<span class="state">${one.state}</span>`}
    </div>
    ${waits(one)} ${pictures(one, shown)} ${sideBySide(one)} ${usedPictures(one)}
    ${one.joint === null ? null : joint(one.joint, picture)}
    <div class="words">
      <div>
        ${one.caption === null ? null : html`<p class="caption">“${one.caption}”</p>`}
        ${one.reason === null ? null : html`<p class="reason">${one.reason}</p>`}
        <p class="prompt">${one.prompt}</p>
        ${warnings(shown)}
      </div>
      ${details(one, shown)}
    </div>
  </article>`;
}

function pictures({ id, state }: SheetShot, take: SheetTake | undefined): Html {
  const output = take?.output ?? null;
  if (output === null) {
    return html`<div class="pictures"><div class="missing">${state}</div></div>`;
  }
  const { file, mediaType, firstFrame, lastFrame } = output;
  if (mediaType.startsWith('image/')) {
    return html`<div class="pictures"><figure>${picture(file, id)}</figure></div>`;
  }
  if (!mediaType.startsWith('video/')) {
    return html`<div class="pictures"><a class="missing" href="${url(file)}">${file}</a></div>`;
  }
  return html`<div class="pictures">
    <figure>
      <video src="${url(file)}" ${attribute('poster', firstFrame)} controls preload="none" playsinline></video>
      <figcaption>first frame</figcaption>
    </figure>
    ${
      lastFrame === null
        ? null
        : html`<figure>
            <a href="${url(lastFrame.file)}">${picture(lastFrame.file, `Last frame of ${id}`)}</a>
            <figcaption>last frame${lastFrame.source === 'gateway' ? ', from the gateway' : ''}</figcaption>
          </figure>`
    }
  </div>`;
}

/** The stills that a shot uses, beside it. */
function usedPictures({ links }: SheetShot): Html | null {
  const used = links.filter((link) => link.picture !== null);
  if (used.length === 0) return null;
  return html`<div class="stills">
    ${used.map(
      (link) =>
        html`<figure>
          ${picture(link.picture, link.shot)}
          <figcaption>${link.parameter}</figcaption>
        </figure>`,
    )}
  </div>`;
}

function details(one: SheetShot, shown: SheetTake | undefined): Html {
  const output = shown?.output ?? null;
  return html`<dl>
    ${one.links.map(link)} ${detail('model', one.model)}
    ${output?.durationSeconds == null ? null : detail('length', `${output.durationSeconds.toFixed(1)} s`)}
    ${output?.width == null ? null : detail('size', `${output.width} × ${output.height ?? 0}`)}
    ${shown?.credits == null ? null : detail('credits', number(shown.credits))}
    ${shown === undefined ? null : detail('take', shown.take)}
    ${shown?.taskId == null ? null : detail('task', html`<code>${shown.taskId}</code>`)}
  </dl>`;
}

/** How a shot stands to another one, by the parameter that the other's frame is given as. */
const RELATIONS: Readonly<Record<string, string>> = { startFrame: 'continues from', endFrame: 'leads to' };

function link({ shot: from, frame, parameter }: SheetLink): Html {
  const relation = frame === 'whole' ? parameter : (RELATIONS[parameter] ?? 'takes from');
  return detail(relation, html`<a href="#${anchor(from)}">${frame === 'first' ? 'first frame of ' : ''}${from}</a>`);
}

function waits({ waits: waiting }: SheetShot): Html | null {
  if (waiting === null) return null;
  const ways = waiting.ways.map(({ command, means }) => html`<li><code>${command}</code> ${means}</li>`);
  return html`<div class="waits">
    ${waiting.words}. To let it go on, type one of:
    <ul>
      ${ways}
    </ul>
  </div>`;
}

/** All takes of a shot that has several, so that they can be compared. */
function sideBySide(one: SheetShot): Html | null {
  const { takes } = one;
  if (takes.length < 2) return null;
  return html`<div class="takes">${takes.toSorted((a, b) => a.take - b.take).map((take) => oneOf(take, one))}</div>`;
}

function oneOf(shownTake: SheetTake, { chosen, model, prompt }: SheetShot): Html {
  const { take, credits, pruned, output } = shownTake;
  const cost = credits === null ? '' : `, ${number(credits)} credits`;
  const label = `take ${take}${take === chosen ? ', chosen' : ''}${cost}`;
  // The shot's own words are those of the take that is shown large.
  const isOther = (word: string | null, own: string | null): boolean => word !== null && word !== own;
  const asked = [
    ...(isOther(shownTake.model, model) ? [html`<br />${shownTake.model}`] : []),
    ...(isOther(shownTake.prompt, prompt) ? [html`<br />${shownTake.prompt}`] : []),
  ];
  const words = html`<figcaption>${label}${asked}</figcaption>`;
  const firstFrame = output === null ? null : picture(output.firstFrame, `First frame of take ${take}`);
  const shown =
    output === null
      ? html`<div class="missing">${pruned ? 'pruned' : 'nothing'}</div>`
      : html`<a href="${url(output.file)}">${firstFrame ?? output.file}</a>`;
  return html`<figure class="${take === chosen ? 'chosen' : 'other'}">${shown} ${words}</figure>`;
}

function warnings(take: SheetTake | undefined): readonly Html[] {
  return (take?.output?.warnings ?? []).map((warning) => html`<p class="warning">${warning}</p>`);
}

function detail(name: string, value: string | number | Html | readonly Html[]): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function picture(file: string | null, text: string): Html | null {
  return file === null ? null : html`<img src="${url(file)}" alt="${text}" loading="lazy" />`;
}

function attribute(name: string, file: string | null): Html | null {
  return file === null ? null : html` ${name}="${url(file)}"`;
}

/** A relative address of a file beside the page, whatever characters its name has. */
function url(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}

function anchor(shotId: string): string {
  return `shot-${shotId}`;
}

/** `0:07`, as a player shows it. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

function length(seconds: number): string {
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${clock(seconds)} min`;
}

function size(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}
