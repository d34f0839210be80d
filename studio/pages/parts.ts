import { counted } from '../../contracts/counted';
import { html, type Html } from '../../client/contact-sheet/html';
import { expectedInWords } from '../../client/plan/expected-in-words';
import { type AssetRef } from '../../contracts/asset';
import { type ManifestExpected } from '../../contracts/manifest';
import { type ShotState } from '../../contracts/states';
import { type ProductionStatus } from '../../contracts/status';
import { elapsedSeconds } from '../../client/status/progress-in-words';
import { withLocalTimes } from '../../client/wording/local-times';
import { type ShotView, type TakeView } from '../views/film-view';
import { assetAddress } from '../server/serve-asset';

/** Parts that several pages use. */

export function form(path: string, token: (path: string) => Html, fields: Html): Html {
  return html`<form method="post" action="${path}">${token(path)}${fields}</form>`;
}

/** A form with one button. @param how `spends` marks a button that may cost credits. */
export function button(
  path: string,
  token: (path: string) => Html,
  {
    label,
    how = 'plain',
    fields = null,
  }: { readonly label: string; readonly how?: ButtonKind; readonly fields?: Html | null },
): Html {
  return form(path, token, html`${fields}<button class="${how}">${label}</button>`);
}

export type ButtonKind = 'plain' | 'main' | 'spends';

export function hidden(name: string, value: unknown): Html {
  return html`<input
    type="hidden"
    name="${name}"
    value="${typeof value === 'string' ? value : JSON.stringify(value)}"
  />`;
}

/** A command to copy, usually the equivalent of a button. */
export function commandShown(command: string): Html {
  return html`<details class="command">
    <summary>As a command</summary>
    <code>${command}</code>
    <button type="button" class="copy" data-copy="${command}">Copy</button>
  </details>`;
}

export function stateShown(state: string): Html {
  return html`<span class="state state-${state.replaceAll(' ', '-')}">${stateInWords(state)}</span>`;
}

export function stateInWords(state: string): string {
  return STATE_WORDS[state as ShotState] ?? state;
}

const STATE_WORDS: Partial<Readonly<Record<ShotState, string>>> = {
  pending: 'waits its turn',
  review: 'for your approval',
  parked: 'waits for you',
};

/** A time in UTC, which a script of the page converts to the browser's time zone. */
export function timeShown(at: string): Html {
  return html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/**
 * The elapsed time of a shot in this render. While the shot renders, the browser keeps counting. Null if the shot has
 * not started, waits unsent in a paused film, or took less than a second, for example because it reused its takes.
 */
export function elapsedShown(shot: ShotView, nowMs: number): Html | null {
  const seconds = elapsedSeconds(shot.status, nowMs);
  const { state } = shot.status;
  if (seconds === null || isUnsent(shot)) return null;
  if (state === 'rendering') return clockShown(seconds, true);
  return seconds < 1
    ? null
    : html`<span>${state === 'completed' ? 'in' : 'after'} ${clockShown(seconds, false)}</span>`;
}

/** The state of a shot of a film. A paused film sends nothing, so its unsent shots are shown as pending. */
export function shotStateShown(shot: ShotView): Html {
  return stateShown(isUnsent(shot) ? 'pending' : shot.status.state);
}

function isUnsent({ status, takes, isPaused }: ShotView): boolean {
  return isPaused && status.state === 'rendering' && !takes.some(({ state }) => state === 'rendering');
}

/** A reason, with times in the time zone of this machine and commands as code. */
export function reasonShown(words: string): Html {
  const [first = '', ...others] = withLocalTimes(words).split('`');
  return html`${first}${others.map((part, at) => (at % 2 === 0 ? html`<code>${part}</code>` : part))}`;
}

/** The elapsed time and expected end of a running production; for any other production, the time of its start. */
export function timesShown(
  { state, startedAt }: Pick<ProductionStatus, 'state' | 'startedAt'>,
  expected: ManifestExpected | null,
  nowMs: number,
): Html {
  if (state !== 'running') return html`<span>began ${timeShown(startedAt)}</span>`;
  const seconds = Math.max(0, (nowMs - Date.parse(startedAt)) / 1_000);
  return html`<span>for ${clockShown(seconds, true)}</span> ${expectedShown(expected, nowMs)}`;
}

export function expectedShown(expected: ManifestExpected | null, nowMs: number): Html | null {
  return expected === null ? null : html`<span>${expectedInWords(expected, nowMs)}</span>`;
}

function clockShown(seconds: number, isRunning: boolean): Html {
  return html`<span class="elapsed" data-seconds="${seconds}" data-runs="${String(isRunning)}"
    >${inTime(seconds)}</span
  >`;
}

/** `1:05` for 65 seconds. */
export function inTime(seconds: number): string {
  const total = Math.round(seconds);
  const [hours, minutes] = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  const rest = String(total % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`;
}

export function creditsShown(credits: number | null): string {
  return credits === null ? 'no price yet' : counted(credits, 'credit');
}

/** A still of a take: an image output, else the first frame, else the last frame. Null if the store has none. */
export function posterOf({ asset, firstFrame, lastFrame }: TakeView): AssetRef | null {
  if (asset?.mediaType.startsWith('image/') === true) return asset;
  return firstFrame ?? lastFrame;
}

export function posterShown(take: TakeView | undefined, alt: string): Html {
  const poster = take === undefined ? null : posterOf(take);
  if (poster === null) return html`<span class="no-picture">${alt}</span>`;
  return html`<img
    src="${assetAddress(poster)}"
    alt="${alt}"
    loading="lazy"
    decoding="async"
    width="${poster.width}"
    height="${poster.height}"
  />`;
}

/** A take's output: a clip with controls, a picture, a sound, a link to any other file, or a note if there is none. */
export function outputShown(take: TakeView, alt: string): Html {
  const { asset } = take;
  if (asset === null) {
    return html`<p class="no-picture">${withoutOutput(take)}</p>`;
  }
  const address = assetAddress(asset);
  if (asset.mediaType.startsWith('image/')) return html`<img src="${address}" alt="${alt}" loading="lazy" />`;
  if (asset.mediaType.startsWith('audio/')) return html`<audio src="${address}" controls preload="none"></audio>`;
  if (!asset.mediaType.startsWith('video/')) return html`<a href="${address}">Open its ${asset.mediaType}</a>`;
  const poster = posterOf(take);
  return html`<video
    src="${address}"
    ${poster === null ? null : html`poster="${assetAddress(poster)}"`}
    controls
    preload="none"
    playsinline
    aria-label="${alt}"
  ></video>`;
}

/** A line in the list of keyboard shortcuts. */
export type KeyShown = readonly [keys: readonly string[], does: string];

/** The list of a page's keyboard shortcuts. A script adds a switch that turns character keys off. */
export function keysShown(keys: readonly KeyShown[]): Html {
  return html`<details class="keys">
    <summary>Keys</summary>
    <dl>
      ${keys.map(
        ([names, does]) =>
          html`<div>
            <dt>${names.map((name) => html`${name === '9' ? 'to ' : null}<kbd>${name}</kbd> `)}</dt>
            <dd>${does}</dd>
          </div>`,
      )}
    </dl>
  </details>`;
}

function withoutOutput({ isPruned, state }: TakeView): string {
  if (isPruned) return 'Its output was pruned.';
  if (state === 'submitting') return 'It is being sent, or waits to be sent.';
  return state === 'rendering' ? 'It is being rendered.' : 'It has no output.';
}

export function productionPath(productionId: string): string {
  return `/productions/${encodeURIComponent(productionId)}`;
}

export function shotPath(productionId: string, shotId: string): string {
  return `${productionPath(productionId)}/shots/${encodeURIComponent(shotId)}`;
}
