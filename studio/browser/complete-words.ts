import { make } from './make.js';

/**
 * Completes keys, models and shot ids of a production file, while a person types and on Ctrl+Space.
 *
 * Arrow keys choose a word, Enter inserts the chosen word, Escape closes the list.
 */

interface Word {
  readonly word: string;
  readonly means: string;
}

/** The words that fit at the caret. */
interface Completion {
  readonly words: readonly Word[];
  readonly isKey: boolean;
}

const WORDS_SHOWN = 8;

/** Number of typed characters from which words are offered without Ctrl+Space. */
const TYPED_MIN = 2;

const LINE_HEIGHT_PX = 21;

const FRAME: readonly Word[] = [
  { word: 'lastFrameOf', means: 'The last frame of another shot.' },
  { word: 'firstFrameOf', means: 'The first frame of another shot.' },
  { word: 'stillOf', means: 'The still of another shot.' },
  { word: 'still', means: 'A picture that is generated first.' },
];

function listed(kind: string): readonly Word[] {
  return [...document.querySelectorAll(`dl[data-words="${kind}"] > div`)].map((entry) => ({
    word: entry.querySelector('dt')?.textContent ?? '',
    means: entry.querySelector('dd')?.textContent ?? '',
  }));
}

function shotIds(text: string): readonly Word[] {
  const ids = [...text.matchAll(/(?:^ +|[-{,] *)id: *["']?([A-Za-z0-9][\w.-]*)/gm)].map(([, id = '']) => id);
  return [...new Set(ids)].map((word) => ({ word, means: 'A shot of this file.' }));
}

/** @param lead the line before the typed word. */
function completionOf(lead: string, text: string): Completion {
  if (/\bmodel: *["']?$/.test(lead)) return { words: listed('model'), isKey: false };
  if (/\b(lastFrameOf|firstFrameOf|stillOf): *["']?$/.test(lead)) return { words: shotIds(text), isKey: false };
  if (/Frame: *\{ *$/.test(lead)) return { words: FRAME, isKey: true };
  if (lead === '') return { words: listed('file'), isKey: true };
  if (/^ +(- )?$/.test(lead) || /[{,] *$/.test(lead)) return { words: listed('shot'), isKey: true };
  return { words: [], isKey: false };
}

export function completeWords(area: HTMLTextAreaElement): void {
  const box = make('ul', { id: 'word-box', class: 'word-box', role: 'listbox', 'aria-label': 'Words', hidden: '' });
  const announcement = make('p', { class: 'announcement', role: 'status' });
  area.after(box, announcement);
  area.setAttribute('aria-autocomplete', 'list');
  area.setAttribute('aria-controls', box.id);
  let shown: readonly Word[] = [];
  let isKey = false;
  let typed = '';
  let chosen = -1;

  function close(): void {
    box.hidden = true;
    shown = [];
    chosen = -1;
    area.removeAttribute('aria-activedescendant');
  }
  function open(isRequested: boolean): void {
    close();
    const before = area.value.slice(0, area.selectionStart);
    const line = before.slice(before.lastIndexOf('\n') + 1);
    typed = /[\w.-]*$/.exec(line)?.[0] ?? '';
    if (!isRequested && typed.length < TYPED_MIN) return;
    const completion = completionOf(line.slice(0, line.length - typed.length), area.value);
    ({ isKey } = completion);
    const matching = completion.words.filter(
      ({ word }) => word.toLowerCase().startsWith(typed.toLowerCase()) && word !== typed,
    );
    shown = matching.slice(0, WORDS_SHOWN);
    if (shown.length === 0) return;
    box.replaceChildren(...shown.map(optionOf));
    box.style.top = `${before.split('\n').length * LINE_HEIGHT_PX - area.scrollTop + area.offsetTop + 8}px`;
    box.style.left = `calc(${area.offsetLeft}px + ${Math.min(line.length - typed.length, 40)}ch)`;
    box.hidden = false;
    announcement.textContent = `${shown.length} ${shown.length === 1 ? 'word' : 'words'}; arrow keys choose.`;
  }
  function optionOf({ word, means }: Word, index: number): HTMLLIElement {
    const option = make('li', { id: `word-${index}`, role: 'option', 'aria-selected': 'false' });
    option.append(make('b', {}, word), ` ${means}`);
    // `mousedown` comes before the area loses the focus and closes the list.
    option.addEventListener('mousedown', (event) => {
      event.preventDefault();
      insert(index);
    });
    return option;
  }
  function choose(index: number): void {
    chosen = (index + shown.length) % shown.length;
    for (const [at, option] of [...box.children].entries()) option.setAttribute('aria-selected', String(at === chosen));
    area.setAttribute('aria-activedescendant', `word-${chosen}`);
  }
  function insert(index: number): void {
    const { word = '' } = shown[index] ?? {};
    area.setRangeText(isKey ? `${word}: ` : word, area.selectionStart - typed.length, area.selectionStart, 'end');
    close();
    area.dispatchEvent(new InputEvent('input', { inputType: 'insertReplacementText' }));
  }

  area.addEventListener('input', (event) => {
    if (event.inputType === 'insertText') open(false);
    else close();
  });
  area.addEventListener('blur', close);
  area.addEventListener('click', close);
  area.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === ' ' && event.ctrlKey) open(true);
    else if (box.hidden) return;
    else if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen === -1 ? shown.length - 1 : chosen - 1);
    else if (event.key === 'Enter' && chosen !== -1) insert(chosen);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
}
