import { ClipsInStep } from './clips-in-step.js';
import { type Key, onKey } from './keys.js';
import { iconButton, make, ownControls, showPlaying } from './make.js';

/** Shows the takes of a shot side by side, and plays them in step with one scrubber. */
export class TakeWall extends HTMLElement {
  private readonly clips = new ClipsInStep(
    () => this.videos(),
    () => {
      this.showTime();
    },
  );
  private listeners: AbortController | undefined;
  private readonly play = iconButton('play', 'Play', () => {
    this.clips.toggle();
  });
  private readonly scrubber = make('input', {
    type: 'range',
    min: '0',
    max: '1',
    step: 'any',
    value: '0',
    'aria-label': 'Time in all takes',
  });
  private readonly time = make('output', { class: 'timecode' });
  private readonly numbers = make('span', { class: 'take-numbers', role: 'group', 'aria-label': 'Take to show large' });
  private readonly said = make('span', { class: 'said', role: 'status' });
  private readonly transport = ownControls(
    'transport',
    this.play,
    iconButton('back', 'Back by a frame', () => void this.clips.step(-1)),
    iconButton('forward', 'Forward by a frame', () => void this.clips.step(1)),
    this.scrubber,
    this.time,
    this.numbers,
    this.said,
  );

  connectedCallback(): void {
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    document.addEventListener(
      'studio:changed',
      () => {
        this.refresh();
      },
      { signal },
    );
    this.addEventListener(
      'click',
      (event) => {
        this.onClick(event);
      },
      { signal },
    );
    this.scrubber.addEventListener('input', () => void this.clips.seek(Number(this.scrubber.value)), { signal });
    // In the inbox, `ReviewInbox` passes the keys to the current item.
    if (this.closest('review-inbox') === null) onKey((pressed) => this.press(pressed), signal);
    this.refresh();
  }

  disconnectedCallback(): void {
    this.listeners?.abort();
    this.clips.stop();
  }

  /** @returns whether the key was handled. */
  press({ key, isRepeat }: Key): boolean {
    if (this.videos().length > 0) {
      if (key === ' ' || key === 'k')
        return once(isRepeat, () => {
          this.clips.toggle();
        });
      if (key === 'j') return handled(this.clips.seek(this.clips.seconds - 1));
      if (key === 'l') return handled(this.clips.seek(this.clips.seconds + 1));
      if (key === ',') return handled(this.clips.step(-1));
      if (key === '.') return handled(this.clips.step(1));
    }
    if (/^[1-9]$/.test(key))
      return once(isRepeat, () => {
        this.enlarge(key);
      });
    if (key === 'c')
      return once(isRepeat, () => {
        this.choose();
      });
    return false;
  }

  stop(): void {
    this.clips.stop();
  }

  /** The large take, else the chosen take, else the only take; null if there is none of these. */
  selectedTake(): HTMLElement | null {
    const takes = this.takes();
    return (
      takes.find((take) => take.hasAttribute('data-ui-large')) ??
      takes.find((take) => take.classList.contains('chosen')) ??
      (takes.length === 1 ? (takes[0] ?? null) : null)
    );
  }

  say(words: string): void {
    this.said.textContent = words;
  }

  private refresh(): void {
    const videos = this.videos();
    for (const video of videos) {
      video.controls = false;
      video.muted = true;
    }
    if (videos.length > 0 && this.transport.parentElement !== this) this.append(this.transport);
    const numbers = this.takes().map((take) => take.dataset['take'] ?? '');
    if (numbers.join() !== [...this.numbers.children].map(({ textContent }) => textContent).join()) {
      this.numbers.replaceChildren(...(numbers.length > 1 ? numbers.map((number) => this.numberButton(number)) : []));
    }
    this.showTime();
    this.showLarge();
  }

  private numberButton(number: string): HTMLButtonElement {
    const button = make(
      'button',
      { type: 'button', class: 'icon number', 'aria-label': `Take ${number} large` },
      number,
    );
    button.addEventListener('click', () => {
      this.enlarge(number);
    });
    return button;
  }

  private enlarge(number: string): void {
    const take = this.takes().find((one) => one.dataset['take'] === number);
    if (take === undefined) {
      this.say(`There is no take ${number} here.`);
      return;
    }
    const wasLarge = take.hasAttribute('data-ui-large');
    for (const one of this.takes()) one.toggleAttribute('data-ui-large', one === take && !wasLarge);
    this.say(wasLarge ? '' : `Take ${number} is large.`);
    this.showLarge();
    if (!wasLarge) take.scrollIntoView({ block: 'nearest' });
  }

  private showLarge(): void {
    const large = this.takes().find((take) => take.hasAttribute('data-ui-large'));
    this.toggleAttribute('data-ui-has-large', large !== undefined);
    for (const button of this.numbers.children) {
      button.setAttribute('aria-pressed', String(button.textContent === large?.dataset['take']));
    }
  }

  private choose(): void {
    const take = this.selectedTake();
    const form = take?.querySelector<HTMLFormElement>('form[action$="/choose"], form[action$="/approve"]') ?? null;
    if (form !== null) form.requestSubmit();
    else if (take === null) this.say('Press the number of a take first.');
    else this.say(`Take ${take.dataset['take'] ?? ''} cannot be chosen, or is the chosen one already.`);
  }

  private showTime(): void {
    const { seconds, length, frameSeconds, isPlaying } = this.clips;
    showPlaying(this.play, isPlaying);
    this.scrubber.max = String(length || 1);
    if (document.activeElement !== this.scrubber || isPlaying) this.scrubber.value = String(seconds);
    this.time.textContent = timecode(seconds, frameSeconds);
    this.scrubber.setAttribute('aria-valuetext', this.time.textContent);
  }

  private onClick({ target }: Event): void {
    if (target instanceof HTMLVideoElement) this.clips.toggle();
  }

  private takes(): readonly HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('.take')];
  }

  private videos(): readonly HTMLVideoElement[] {
    return [...this.querySelectorAll('video')];
  }
}

/** `0:03:12`: minutes, seconds, frames. */
function timecode(seconds: number, frameSeconds: number): string {
  const wholeSeconds = Math.floor(seconds + 0.0005);
  const frame = Math.floor((seconds - wholeSeconds) / frameSeconds + 0.01);
  const two = (value: number): string => String(Math.max(0, value)).padStart(2, '0');
  return `${Math.floor(wholeSeconds / 60)}:${two(wholeSeconds % 60)}:${two(frame)}`;
}

/** Acts only once while a key is held down. */
function once(isRepeat: boolean, act: () => void): true {
  if (!isRepeat) act();
  return true;
}

function handled(_started: Promise<void>): true {
  return true;
}

customElements.define('take-wall', TakeWall);
