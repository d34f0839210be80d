import { completeWords } from './complete-words.js';

/** The editor of a production file: line numbers, completion, and links from issues to their lines. */

/** MAINTENANCE: keep in step with editor.css. */
const LINE_HEIGHT_PX = 21;

const field = document.querySelector<HTMLTextAreaElement>('file-editor textarea');
const numbers = document.querySelector('file-editor .line-numbers');

/** Numbers the lines, and makes the area one row higher than its text. Skips a long file: it has no numbers. */
function renumber(area: HTMLTextAreaElement): void {
  const lines = area.value.split('\n').length;
  if (numbers === null || area.rows === lines + 1) return;
  area.rows = lines + 1;
  numbers.textContent = Array.from({ length: lines }, (_, index) => `${index + 1}\n`).join('');
}

/** Selects from an issue to the end of its line, and scrolls to the line. */
function jump(area: HTMLTextAreaElement, line: number, column: number): void {
  const before = area.value.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, one) => sum + one.length + 1, 0);
  const end = area.value.indexOf('\n', start);
  area.focus({ preventScroll: true });
  area.setSelectionRange(start + column - 1, end === -1 ? area.value.length : Math.max(end, start + column - 1));
  const top = (line - 1) * LINE_HEIGHT_PX;
  if (numbers === null) area.scrollTop = top - area.clientHeight / 3;
  const onPage = area.getBoundingClientRect().top + scrollY + (numbers === null ? 0 : top);
  scrollTo({ top: onPage - innerHeight / 3 });
}

if (field !== null) {
  const area = field;
  area.addEventListener('input', () => {
    renumber(area);
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>('a[data-line]') : null;
    if (link === null) return;
    event.preventDefault();
    jump(area, Number(link.dataset['line']), Number(link.dataset['column']));
  });
  if (!area.readOnly) completeWords(area);
  let isSending = false;
  area.form?.addEventListener('submit', () => {
    isSending = true;
  });
  // After the Back button, the browser restores the typed text, and may restore the page as it was sent.
  addEventListener('pageshow', () => {
    isSending = false;
    renumber(area);
  });
  addEventListener('beforeunload', (event) => {
    // The browser asks whether to leave the page.
    if (!isSending && area.value !== area.defaultValue) event.preventDefault();
  });
}
