import { type SheetLink, type SheetShot, type SheetTake } from './contents';
import { inCredits, number } from './figures';
import { html, type Html } from './html';
import { joint } from './joint';
import { fileAttribute, picture, url } from './picture';

/** A shot: its heading, the output of its first listed take, all its takes, and its request. */
export function shot(one: SheetShot, number: number | null): Html {
  const [shown] = one.takes;
  return html`<article id="${anchor(one.id)}" class="${one.state}">
    <div class="slate">
      ${number === null ? null : html`<span class="number">${String(number).padStart(2, '0')}</span>`}
      <h2>${one.id}</h2>
      ${one.state === 'completed' ? null : html`<span class="state">${one.state}</span>`}
    </div>
    ${waits(one)} ${pictures(one, shown)} ${sideBySide(one)} ${usedPictures(one)}
    ${one.joint === null ? null : joint(one.joint)}
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
      <video src="${url(file)}" ${fileAttribute('poster', firstFrame)} controls preload="none" playsinline></video>
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

/** Descriptions of a link to another shot, by the parameter that receives the frame. */
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

/** All takes of a shot that has several, for comparison. */
function sideBySide(one: SheetShot): Html | null {
  const { takes } = one;
  if (takes.length < 2) return null;
  return html`<div class="takes">
    ${takes.toSorted((a, b) => a.take - b.take).map((take) => takeFigure(take, one))}
  </div>`;
}

function takeFigure(shownTake: SheetTake, { chosen, model, prompt }: SheetShot): Html {
  const { take, credits, pruned, output } = shownTake;
  const cost = credits === null ? '' : `, ${inCredits(credits)}`;
  const label = `take ${take}${take === chosen ? ', chosen' : ''}${cost}`;
  // Show the model and prompt only if they differ from those of the take that is shown large.
  const isOther = (text: string | null, shown: string | null): boolean => text !== null && text !== shown;
  const otherRequest = [
    ...(isOther(shownTake.model, model) ? [html`<br />${shownTake.model}`] : []),
    ...(isOther(shownTake.prompt, prompt) ? [html`<br />${shownTake.prompt}`] : []),
  ];
  const caption = html`<figcaption>${label}${otherRequest}</figcaption>`;
  const preview = output === null ? null : previewOf(output, take);
  const shown =
    output === null
      ? html`<div class="missing">${pruned ? 'pruned' : 'nothing'}</div>`
      : html`<a href="${url(output.file)}">${preview ?? output.file}</a>`;
  return html`<figure class="${take === chosen ? 'chosen' : 'other'}">${shown} ${caption}</figure>`;
}

/** A picture of a take's output; null if the output has no picture, such as a text. */
function previewOf({ file, mediaType, firstFrame }: NonNullable<SheetTake['output']>, take: number): Html | null {
  return mediaType.startsWith('image/')
    ? picture(file, `Take ${take}`)
    : picture(firstFrame, `First frame of take ${take}`);
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

function anchor(shotId: string): string {
  return `shot-${shotId}`;
}
