import { TakeWall } from './compare-takes.js';
import { type Key, onKey } from './keys.js';
import { keepOutcome, reload, showDocument } from './live.js';
import { make, ownControls } from './make.js';

/** Storage key: the item to select when the person returns from another page, such as the plan of a retake. */
const NEXT_ITEM = 'studio-next-item';

/** Lets a person answer waiting shots with the keyboard. The page lists the keys. */
class ReviewInbox extends HTMLElement {
  private current: string | null = sessionStorage.getItem(NEXT_ITEM);
  private listeners: AbortController | undefined;
  private isSending = false;

  connectedCallback(): void {
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    sessionStorage.removeItem(NEXT_ITEM);
    onKey((pressed) => this.press(pressed), signal);
    document.addEventListener(
      'studio:changed',
      () => {
        this.mark();
      },
      { signal },
    );
    this.addEventListener(
      'submit',
      (event) => {
        this.onSubmit(event);
      },
      { signal },
    );
    this.addEventListener(
      'keydown',
      (event) => {
        onFieldKey(event);
      },
      { signal },
    );
    this.addEventListener(
      'focusin',
      ({ target }) => {
        this.select(itemOf(target));
      },
      { signal },
    );
    this.mark();
  }

  disconnectedCallback(): void {
    this.listeners?.abort();
  }

  private press(pressed: Key): boolean {
    const { key, isRepeat } = pressed;
    const item = this.item();
    if (item === undefined) return false;
    if (key === 'n') return this.go(1);
    if (key === 'p') return this.go(-1);
    if (key === 'a') {
      if (!isRepeat) this.approve(item);
      return true;
    }
    if (key === 'r') {
      if (!isRepeat) openRetake(item);
      return true;
    }
    if (key === 'enter' && document.activeElement === item) {
      item.querySelector<HTMLElement>('a.main')?.click();
      return true;
    }
    // The inbox has no action `choose`. The wall would use this key to approve a take that may not be in view.
    if (key === 'c') return false;
    return wallOf(item)?.press(pressed) ?? false;
  }

  private go(by: number): true {
    const items = this.items();
    const next = items[items.findIndex((one) => one.id === this.current) + by];
    if (next !== undefined) {
      wallOf(this.item())?.stop();
      focusOn(next);
    }
    return true;
  }

  private approve(item: HTMLElement): void {
    // If the item is not in view, the key only shows the item, so that nobody approves an unseen take.
    if (!isInView(item)) {
      focusOn(item);
      return;
    }
    const take = wallOf(item)?.selectedTake() ?? null;
    const form = take?.querySelector<HTMLFormElement>('form[action$="/approve"]') ?? null;
    if (form !== null) form.requestSubmit();
    else if (take !== null) wallOf(item)?.say('This take cannot be approved.');
    else if (wallOf(item) === null) {
      focusOn(item);
      showError(item, 'This shot waits for a decision. Press Enter to see the answers.');
    } else wallOf(item)?.say('Press the number of a take first.');
  }

  private onSubmit(event: SubmitEvent): void {
    const form = event.target;
    const item = itemOf(form);
    if (!(form instanceof HTMLFormElement) || item === null) return;
    const next = this.nextItem(item);
    if (!form.action.endsWith('/approve')) {
      // This form opens another page, from which the person returns.
      if (next !== undefined) sessionStorage.setItem(NEXT_ITEM, next.id);
      return;
    }
    event.preventDefault();
    if (!this.isSending) void this.send(form, item, next?.id);
  }

  private async send(form: HTMLFormElement, item: HTMLElement, next: string | undefined): Promise<void> {
    this.isSending = true;
    item.setAttribute('aria-busy', 'true');
    wallOf(item)?.stop();
    try {
      const fields = [...new FormData(form)].map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : '',
      ]);
      const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(fields) });
      const text = await response.text();
      if (!response.ok) {
        showError(item, messageIn(text) ?? `The studio refused the answer (${response.status}). Answer again.`);
        // The token of a refused form cannot be used again; the reload brings new tokens.
        void reload();
        return;
      }
      this.current = next ?? null;
      if (response.redirected) keepOutcome(response.url);
      showDocument(text);
      focusOn(this.item() ?? document.getElementById('main'));
    } catch {
      showError(
        item,
        'The studio cannot be reached; its terminal shows why. Approve again: the approval counts only once.',
      );
    } finally {
      this.isSending = false;
      item.removeAttribute('aria-busy');
    }
  }

  private nextItem(item: HTMLElement): HTMLElement | undefined {
    const items = this.items();
    const at = items.indexOf(item);
    return items[at + 1] ?? items[at - 1];
  }

  private select(item: HTMLElement | null): void {
    if (item === null || item.id === this.current) return;
    this.current = item.id;
    this.mark();
  }

  private mark(): void {
    const current = this.item();
    this.current = current?.id ?? null;
    for (const item of this.items()) item.toggleAttribute('data-ui-current', item === current);
  }

  private item(): HTMLElement | undefined {
    const items = this.items();
    return items.find(({ id }) => id === this.current) ?? items[0];
  }

  private items(): readonly HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('.item')];
  }
}

function itemOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('.item') : null;
}

function wallOf(item: HTMLElement | undefined): TakeWall | null {
  const wall = item?.querySelector('take-wall');
  return wall instanceof TakeWall ? wall : null;
}

function focusOn(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: 'start' });
}

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 80 && top < innerHeight - 80;
}

function openRetake(item: HTMLElement): void {
  const details = item.querySelector<HTMLDetailsElement>('details.reject');
  const field = details?.querySelector('textarea') ?? null;
  if (details === null || field === null) return;
  details.open = true;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Escape moves the focus from a text area to its item. Ctrl+Enter or Cmd+Enter sends the text area's form. */
function onFieldKey(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, repeat } = event;
  if (!(target instanceof HTMLTextAreaElement)) return;
  if (key === 'Escape') itemOf(target)?.focus();
  if (key === 'Enter' && (ctrlKey || metaKey) && !repeat) target.form?.requestSubmit();
}

function showError(item: HTMLElement, words: string): void {
  let container = item.querySelector<HTMLElement>(':scope > own-controls');
  if (container === null) {
    container = ownControls('complaint');
    item.append(container);
  }
  container.replaceChildren(make('p', { class: 'alarm', role: 'alert' }, words));
  container.scrollIntoView({ block: 'nearest' });
}

/** The message of a page that explains a refusal; null if the page has none. */
function messageIn(text: string): string | null {
  return new DOMParser().parseFromString(text, 'text/html').querySelector('.message')?.textContent ?? null;
}

customElements.define('review-inbox', ReviewInbox);
