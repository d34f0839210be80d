import { Idiomorph } from './idiomorph.js';
import { make } from './make.js';

/** Reloads a visible page when its version on the server changes. */

/** Minimum time for which a page shows an action's outcome. The first reload after this time removes the outcome. */
const OUTCOME_SHOWN_MS = 10_000;

/** Pause between attempts to reach the studio again. */
const RETRY_AFTER_MS = 2_000;

const GONE =
  'The studio does not answer. If it has ended, type `dailies studio` and open the address that it prints. Otherwise its terminal shows why, and this page updates again by itself.';
const RESTARTED = 'The studio was restarted. Open it again by the address that its terminal has printed.';

const awayNotice = make('p', { class: 'trouble away', role: 'alert' });
let stream: EventSource | undefined;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let reloading: Promise<void> | undefined;
let isDue = false;
/** When the page's outcome was shown: when the page was loaded, unless `keepOutcome` was called. */
let outcomeSinceMs = 0;
/** The version that the stream sent last. */
let announced: string | undefined;

function open(): void {
  clearTimeout(retryTimer);
  // Only pages with a version have a stream. Other pages do not change by themselves.
  if (stream !== undefined || document.hidden || shownVersion() === undefined) return;
  const opened = new EventSource(location.href);
  stream = opened;
  opened.addEventListener('version', ({ data }: MessageEvent<string>) => {
    announced = data;
    if (data !== shownVersion()) void reload();
  });
  opened.addEventListener('open', () => {
    showAway(null);
  });
  opened.addEventListener('error', () => {
    if (stream !== opened) return;
    close();
    void checkStudio();
  });
}

/**
 * Shows a notice if the studio is gone or was restarted, and reopens the stream later. Does neither if the page has no
 * stream any more (406).
 */
async function checkStudio(): Promise<void> {
  const answer = await fetch(location.href, { headers: { accept: 'text/event-stream' } }).catch(() => undefined);
  void answer?.body?.cancel();
  if (answer?.status === 406) return;
  if (answer === undefined) showAway(GONE);
  else showAway(answer.status === 401 ? RESTARTED : null);
  retryTimer = setTimeout(open, RETRY_AFTER_MS);
}

function close(): void {
  clearTimeout(retryTimer);
  stream?.close();
  stream = undefined;
}

function showAway(words: string | null): void {
  document.documentElement.toggleAttribute('data-away', words !== null);
  if (words === null) awayNotice.remove();
  else if (awayNotice.textContent !== words || !awayNotice.isConnected) {
    awayNotice.textContent = words;
    document.getElementById('live')?.before(awayNotice);
  }
}

function shownVersion(): string | undefined {
  return document.getElementById('main')?.dataset['version'];
}

/**
 * Fetches the page and replaces the parts that differ, except parts that a person is using. A call during a reload
 * causes one more reload.
 */
export async function reload(): Promise<void> {
  isDue = true;
  reloading ??= reloadWhileDue().finally(() => (reloading = undefined));
  return reloading;
}

async function reloadWhileDue(): Promise<void> {
  while (isDue) {
    isDue = false;
    forgetOutcome();
    const address = location.href;
    const response = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => undefined);
    const text = response?.ok === true ? await response.text() : undefined;
    // If an action has changed the page meanwhile, this response is older than the page.
    if (location.href !== address) isDue = true;
    else if (text !== undefined) showDocument(text);
  }
  if (stream === undefined) return;
  clearTimeout(retryTimer);
  retryTimer = setTimeout(openIfOutdated, RETRY_AFTER_MS);
}

/** Gives the page the address of an action's outcome, so that the next reload still shows the outcome. */
export function keepOutcome(address: string): void {
  outcomeSinceMs = performance.now();
  history.replaceState(null, '', address);
}

/** After `OUTCOME_SHOWN_MS`, removes the outcome from the address, so that a reload does not show the outcome. */
function forgetOutcome(): void {
  const address = new URL(location.href);
  if (!address.searchParams.has('done') || performance.now() < outcomeSinceMs + OUTCOME_SHOWN_MS) return;
  address.searchParams.delete('done');
  history.replaceState(null, '', address);
}

/**
 * Reopens the stream if the page does not have the version that the stream sent last. The stream sends each version
 * only once, and the reload may have failed or may have read an older page.
 */
function openIfOutdated(): void {
  if (stream === undefined || shownVersion() === announced) return;
  close();
  open();
}

/** Replaces this page's contents with those of another page of the studio, or of a newer version of this page. */
export function showDocument(text: string): void {
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  for (const id of ['live', 'main']) {
    const [old, replacement] = [document.getElementById(id), fresh.getElementById(id)];
    if (old === null || replacement === null) continue;
    Idiomorph.morph(old, replacement, {
      // `innerHTML` would nest the replacement inside the old element.
      morphStyle: 'outerHTML',
      callbacks: {
        beforeNodeMorphed: mayChange,
        beforeNodeRemoved: (node) => node.nodeName !== 'OWN-CONTROLS',
        beforeAttributeUpdated: (name) => !name.startsWith('data-ui-') && name !== 'aria-busy',
      },
    });
  }
  document.title = fresh.title;
  document.dispatchEvent(new CustomEvent('studio:changed'));
}

/**
 * False for elements that must stay: edited fields, players whose file is the same, and elements that render
 * themselves.
 */
function mayChange(old: Node, fresh: Node): boolean {
  if (!(old instanceof HTMLElement) || !(fresh instanceof HTMLElement)) return true;
  if (old.hasAttribute('data-own')) {
    // This custom element renders its own content from its data attributes.
    for (const [name, value] of Object.entries(fresh.dataset)) {
      if (old.dataset[name] !== value) old.dataset[name] = value;
    }
    return false;
  }
  if (old instanceof HTMLDetailsElement) fresh.toggleAttribute('open', old.open);
  if (old instanceof HTMLMediaElement) return old.getAttribute('src') !== fresh.getAttribute('src');
  if (old.matches('input, textarea, select')) return !isTouched(old);
  return true;
}

function isTouched(field: Element): boolean {
  if (field instanceof HTMLSelectElement) {
    return [...field.options].some(({ selected, defaultSelected }) => selected !== defaultSelected);
  }
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement)) return false;
  return field.checked !== field.defaultChecked || field.value !== field.defaultValue;
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) close();
  else open();
});
addEventListener('pagehide', close);
addEventListener('pageshow', open);
open();
