import { inTime } from './elapsed.js';
import { iconButton, make, ownControls, showPlaying } from './make.js';

/** MAINTENANCE: keep in step with PlaylistEntry of views/playlist.ts. */
interface Entry {
  readonly shot: string;
  readonly number: number;
  readonly src: string | null;
  readonly seconds: number;
  readonly caption: string | null;
  readonly state: string;
}

/**
 * Plays the film so far: its clips in order, and for each missing shot a slate of the same length.
 *
 * Two video elements alternate, so that the next clip loads while one plays. The playlist may change during playback.
 */
class FilmSoFar extends HTMLElement {
  static readonly observedAttributes = ['data-clips'];
  private entries: readonly Entry[] = [];
  private index = 0;
  private isPlaying = false;
  private active = createPlayer();
  private standby = createPlayer();
  /** Elapsed seconds of the slate, and the time up to which these seconds were counted. */
  private slateSeconds = 0;
  private countedToMs = 0;
  private readonly slate = make('div', { class: 'slate-screen' });
  private readonly play = iconButton('play', 'Play', () => {
    this.toggle();
  });
  private readonly sound = iconButton('sound', 'Sound off', () => {
    this.toggleSound();
  });
  private readonly time = make('output', { class: 'timecode' });
  private readonly marks = make('div', { class: 'timeline', role: 'group', 'aria-label': 'Shots of the film' });
  private readonly stage = make('div', { class: 'stage' }, this.active, this.standby, this.slate);

  connectedCallback(): void {
    if (this.querySelector('own-controls') !== null) return;
    this.replaceChildren(
      ownControls(
        'player',
        this.stage,
        this.marks,
        ownControls(
          'transport',
          this.play,
          iconButton('previous', 'Previous shot', () => {
            this.jump(this.index - 1);
          }),
          iconButton('next', 'Next shot', () => {
            this.jump(this.index + 1);
          }),
          this.time,
          this.sound,
          iconButton('full', 'Full screen', () => void this.stage.requestFullscreen()),
        ),
      ),
    );
    this.setAttribute('data-own', '');
    this.stage.addEventListener('click', () => {
      this.toggle();
    });
    this.marks.addEventListener('click', ({ target }) => {
      const mark = target instanceof Element ? target.closest('button') : null;
      if (mark !== null) this.jump([...this.marks.children].indexOf(mark));
    });
    this.addEventListener('keydown', (event) => {
      if (this.press(event)) event.preventDefault();
    });
    this.show(0);
  }

  disconnectedCallback(): void {
    this.stop();
  }

  /** Applies a changed playlist. Playback continues undisturbed unless the current shot is gone or has another clip. */
  attributeChangedCallback(_name: string, _old: string | null, clips: string | null): void {
    const before = this.entries[this.index];
    this.entries = JSON.parse(clips ?? '[]') as readonly Entry[];
    const index = this.entries.findIndex(({ shot }) => shot === before?.shot);
    this.index = index === -1 ? Math.min(this.index, Math.max(0, this.entries.length - 1)) : index;
    if (!this.hasAttribute('data-own')) return;
    if (this.entries[this.index]?.src === before?.src && index !== -1) this.showMarks();
    else this.show(this.secondsInShot(before));
  }

  private press({ key, target, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
    // Leave shortcuts to the browser, such as Alt+Left for the previous page.
    if (altKey || ctrlKey || metaKey) return false;
    if (key === ' ' && !(target instanceof HTMLButtonElement)) this.toggle();
    else if (key === 'ArrowRight') this.jump(this.index + 1);
    else if (key === 'ArrowLeft') this.jump(this.index - 1);
    else if (key === 'Home') this.jump(0);
    else if (key === 'End') this.jump(this.entries.length - 1);
    else return false;
    return true;
  }

  private jump(index: number): void {
    const isOnMark = this.marks.contains(document.activeElement);
    this.index = Math.max(0, Math.min(index, this.entries.length - 1));
    this.show(0);
    const mark = this.marks.children[this.index];
    if (isOnMark && mark instanceof HTMLElement) mark.focus();
  }

  private toggle(): void {
    if (this.isPlaying) this.stop();
    else this.start();
  }

  private start(): void {
    this.isPlaying = true;
    const isAtEnd = this.index === this.entries.length - 1 && this.secondsInShot() >= this.secondsOf() - 0.05;
    if (isAtEnd) this.index = 0;
    this.show(isAtEnd ? 0 : this.secondsInShot());
    this.tick();
  }

  private stop(): void {
    this.isPlaying = false;
    this.active.pause();
    showPlaying(this.play, false);
  }

  private toggleSound(): void {
    const isMuted = !this.active.muted;
    for (const player of [this.active, this.standby]) player.muted = isMuted;
    this.sound.classList.toggle('muted', isMuted);
    this.sound.setAttribute('aria-label', isMuted ? 'Sound on' : 'Sound off');
    this.sound.title = isMuted ? 'Sound on' : 'Sound off';
  }

  /** Shows the current shot from a position, and plays it if the film is playing. */
  private show(fromSeconds: number): void {
    const entry = this.entries[this.index];
    if (entry === undefined) return;
    if (entry.src === null) this.showSlate(entry, fromSeconds);
    else this.showClip(entry.src, fromSeconds);
    this.showMarks();
    this.showTime();
    showPlaying(this.play, this.isPlaying);
  }

  private showSlate(entry: Entry, fromSeconds: number): void {
    this.active.pause();
    this.slateSeconds = fromSeconds;
    this.countedToMs = performance.now();
    this.slate.replaceChildren(
      make('span', { class: 'slate-number' }, String(entry.number)),
      make('span', { class: 'slate-name' }, entry.shot),
      make('span', { class: 'slate-state' }, `${entry.state}, ${entry.seconds.toFixed(1)} s`),
      ...(entry.caption === null ? [] : [make('p', { class: 'slate-words' }, entry.caption)]),
    );
    this.stage.dataset['shows'] = 'slate';
    this.loadNext();
  }

  private showClip(src: string, fromSeconds: number): void {
    if (sourceOf(this.active) !== src) {
      const old = this.active;
      if (sourceOf(this.standby) !== src) load(this.standby, src);
      [this.active, this.standby] = [this.standby, old];
      old.pause();
    }
    const player = this.active;
    if (Math.abs(player.currentTime - fromSeconds) > 0.02) player.currentTime = fromSeconds;
    if (this.isPlaying) void player.play().catch(() => undefined);
    // The old frame stays until the new frame can be shown. So the old player loads the next clip only then.
    whenFrameReady(player, () => {
      if (player !== this.active || this.entries[this.index]?.src !== src) return;
      this.standby.classList.remove('on');
      player.classList.add('on');
      this.stage.dataset['shows'] = 'clip';
      this.stage.style.aspectRatio = `${player.videoWidth} / ${player.videoHeight}`;
      this.loadNext();
    });
  }

  private loadNext(): void {
    const next = this.entries.slice(this.index + 1).find(({ src }) => src !== null)?.src;
    if (next != null && this.isPlaying && sourceOf(this.standby) !== next) load(this.standby, next);
  }

  private tick(): void {
    if (!this.isPlaying) return;
    const nowMs = performance.now();
    if (this.entries[this.index]?.src === null) this.slateSeconds += (nowMs - this.countedToMs) / 1000;
    this.countedToMs = nowMs;
    if (this.hasEnded()) {
      if (this.index + 1 < this.entries.length) {
        this.index += 1;
        this.show(0);
      } else this.stop();
    }
    this.showTime();
    requestAnimationFrame(() => {
      this.tick();
    });
  }

  private hasEnded(): boolean {
    const entry = this.entries[this.index];
    if (entry?.src === null) return this.slateSeconds >= entry.seconds;
    return (this.active.ended && sourceOf(this.active) === entry?.src) || this.active.error !== null;
  }

  private secondsInShot(entry = this.entries[this.index]): number {
    return entry?.src === null ? this.slateSeconds : this.active.currentTime;
  }

  private secondsOf(entry = this.entries[this.index]): number {
    const isShown = entry?.src !== null && sourceOf(this.active) === entry?.src;
    return isShown && Number.isFinite(this.active.duration) ? this.active.duration : (entry?.seconds ?? 0);
  }

  private showMarks(): void {
    const { marks, entries } = this;
    while (marks.children.length > entries.length) marks.lastElementChild?.remove();
    entries.forEach((entry, index) => {
      const old = marks.children[index];
      const mark = old instanceof HTMLElement ? old : make('button', { type: 'button' }, make('i'));
      if (old === undefined) marks.append(mark);
      const state = entry.src === null ? `, ${entry.state}` : '';
      const label = `${entry.number}, ${entry.shot}, ${entry.seconds.toFixed(1)} s${state}`;
      mark.className = entry.src === null ? 'missing' : 'made';
      mark.style.flexGrow = String(entry.seconds);
      mark.title = label;
      mark.setAttribute('aria-label', label);
      // Tab reaches only the current mark; arrow keys go from shot to shot.
      mark.tabIndex = index === this.index ? 0 : -1;
      mark.toggleAttribute('data-past', index < this.index);
      if (index === this.index) mark.setAttribute('aria-current', 'true');
      else mark.removeAttribute('aria-current');
    });
  }

  private showTime(): void {
    const sum = (list: readonly Entry[]): number => list.reduce((all, { seconds }) => all + seconds, 0);
    const inShot = this.secondsInShot();
    this.time.textContent = `${inTime(sum(this.entries.slice(0, this.index)) + inShot)} / ${inTime(sum(this.entries))}`;
    const fill = this.marks.children[this.index]?.firstElementChild;
    if (fill instanceof HTMLElement) fill.style.width = `${Math.min(1, inShot / (this.secondsOf() || 1)) * 100}%`;
  }
}

function createPlayer(): HTMLVideoElement {
  return make('video', { playsinline: '', preload: 'metadata', 'aria-label': 'The film so far' });
}

function sourceOf(player: HTMLVideoElement): string | null {
  return player.getAttribute('src');
}

function load(player: HTMLVideoElement, src: string): void {
  player.preload = 'auto';
  player.src = src;
}

function whenFrameReady(player: HTMLVideoElement, then: () => void): void {
  if (player.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && !player.seeking) then();
  else for (const name of ['loadeddata', 'seeked']) player.addEventListener(name, then, { once: true });
}

customElements.define('film-so-far', FilmSoFar);
