import { make, ownControls } from './make.js';

/** Storage key of the switch that turns character keys off, for people who use speech input (WCAG 2.2, SC 2.1.4). */
const SWITCH = 'studio-keys';

const TEXT_FIELDS = 'input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]';

const HANDLES_SPACE = 'button, a, summary, input, video, audio';

export interface Key {
  /** In lower case. */
  readonly key: string;
  /** True if the event repeats because the key is held down. */
  readonly isRepeat: boolean;
}

/**
 * Calls the handler for each key that is pressed outside text fields and without Ctrl, Alt or Meta. Leaves out Space on
 * elements that handle Space, and character keys if these are switched off.
 *
 * @param handler returns whether it handled the key.
 */
export function onKey(handler: (pressed: Key) => boolean, signal: AbortSignal): void {
  document.addEventListener(
    'keydown',
    (event) => {
      const { target, key } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (target instanceof Element && target.closest(TEXT_FIELDS) !== null) return;
      if (key === ' ' && target instanceof Element && target.closest(HANDLES_SPACE) !== null) return;
      if (key.length === 1 && !areLetterKeysOn()) return;
      if (handler({ key: key.toLowerCase(), isRepeat: event.repeat })) event.preventDefault();
    },
    { signal },
  );
}

function areLetterKeysOn(): boolean {
  return localStorage.getItem(SWITCH) !== 'off';
}

/** Adds the switch to each list of keys on the page. */
function addSwitches(): void {
  for (const list of document.querySelectorAll('details.keys')) {
    if (list.querySelector('own-controls') !== null) continue;
    const box = make('input', { type: 'checkbox' });
    box.checked = areLetterKeysOn();
    box.addEventListener('change', () => {
      localStorage.setItem(SWITCH, box.checked ? 'on' : 'off');
    });
    list.append(ownControls('switch', make('label', {}, box, ' Character keys are on')));
  }
}

document.addEventListener('studio:changed', addSwitches);
addSwitches();
