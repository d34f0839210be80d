import { frameSecondsOf, loaded } from './clips-in-step.js';
import { iconButton, make, ownControls, showPlaying } from './make.js';

/** Loops the end of a clip and the start of the next clip across the cut, or shows single frames around the cut. */
class JointLoop extends HTMLElement {
  static readonly observedAttributes = ['data-before', 'data-after', 'data-before-frame', 'data-after-frame'];
  private readonly ending = clip('The clip before the cut');
  private readonly opening = clip('The clip after the cut');
  private readonly play = iconButton('play', 'Play', () => {
    this.toggle();
  });
  private readonly slider = make('input', {
    type: 'range',
    min: '-1',
    step: '1',
    value: '-1',
    'aria-label': 'Frame around the cut',
  });
  private readonly position = make('output', { class: 'timecode' });
  private readonly sideBySide = make('button', { type: 'button', class: 'icon word' }, 'Side by side');
  private readonly stage = make('div', { class: 'cut-stage' }, this.ending, this.opening);
  private isPlaying = false;
  private isSideBySide = false;

  connectedCallback(): void {
    if (this.querySelector('own-controls') !== null) return;
    this.slider.addEventListener('input', () => {
      this.stop();
      void this.show();
    });
    this.sideBySide.addEventListener('click', () => {
      this.stop();
      this.isSideBySide = !this.isSideBySide;
      void this.show();
    });
    this.replaceChildren(
      ownControls(
        'cut',
        this.stage,
        ownControls(
          'transport',
          this.play,
          iconButton('back', 'Back by a frame', () => {
            this.step(-1);
          }),
          iconButton('forward', 'Forward by a frame', () => {
            this.step(1);
          }),
          this.slider,
          this.position,
          this.sideBySide,
        ),
      ),
    );
    this.setAttribute('data-own', '');
    this.readClips();
  }

  disconnectedCallback(): void {
    this.stop();
  }

  attributeChangedCallback(name: string): void {
    if (!this.hasAttribute('data-own')) return;
    // A reload sets the frames' attributes after the clips' attributes.
    if (name.endsWith('-frame')) this.showPosters();
    else this.readClips();
  }

  /** Reads the clips from the attributes. The clips are loaded when the joint comes into view. */
  private readClips(): void {
    this.stop();
    this.ending.src = this.dataset['before'] ?? '';
    this.opening.src = this.dataset['after'] ?? '';
    this.showPosters();
    this.showSide('before');
    const view = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      view.disconnect();
      void this.show();
    });
    view.observe(this);
  }

  /** Posters are shown until the clips are loaded. */
  private showPosters(): void {
    this.ending.poster = this.dataset['beforeFrame'] ?? '';
    this.opening.poster = this.dataset['afterFrame'] ?? '';
  }

  private get loopSeconds(): number {
    return Number(this.dataset['seconds'] ?? '1.5');
  }

  /**
   * Shows the frame at the slider's value: -1 is the last frame before the cut, 0 the first frame after the cut. Side
   * by side, 0 shows both of these frames, and n shows the frames that are n frames farther from the cut.
   */
  private async show(): Promise<void> {
    await Promise.all([loaded(this.ending), loaded(this.opening)]);
    const [before, after] = [frameSecondsOf(this.ending), frameSecondsOf(this.opening)];
    const framesBefore = Math.round(this.loopSeconds / before);
    const framesAfter = Math.round(this.loopSeconds / after);
    this.slider.min = String(this.isSideBySide ? 0 : -framesBefore);
    this.slider.max = String((this.isSideBySide ? Math.min(framesBefore, framesAfter) : framesAfter) - 1);
    const frame = Number(this.slider.value);
    const fromEnd = (this.isSideBySide ? frame + 0.5 : Math.max(0.5, -frame - 0.5)) * before;
    // A clip that cannot be loaded has no duration.
    if (hasLoaded(this.ending)) this.ending.currentTime = this.ending.duration - fromEnd;
    this.opening.currentTime = Math.max(0, frame + 0.5) * after;
    this.showSide(frame >= 0 ? 'after' : 'before');
    this.position.textContent = this.inWords(frame);
    this.slider.setAttribute('aria-valuetext', this.position.textContent);
  }

  private inWords(frame: number): string {
    if (this.isSideBySide) {
      return frame === 0 ? 'the frames at the cut' : `frame ${frame + 1} before and after the cut`;
    }
    if (frame === -1) return 'last frame before';
    if (frame === 0) return 'first frame after';
    return frame < 0 ? `frame ${-frame} before the cut` : `frame ${frame + 1} after the cut`;
  }

  private showSide(side: 'before' | 'after'): void {
    this.stage.dataset['side'] = this.isSideBySide ? 'both' : side;
    this.sideBySide.setAttribute('aria-pressed', String(this.isSideBySide));
    showPlaying(this.play, this.isPlaying);
  }

  private step(frames: number): void {
    this.stop();
    const { min, max, value } = this.slider;
    this.slider.value = String(Math.min(Number(max), Math.max(Number(min), Number(value) + frames)));
    void this.show();
  }

  private toggle(): void {
    if (this.isPlaying) {
      this.stop();
      void this.show();
    } else void this.start();
  }

  private stop(): void {
    this.isPlaying = false;
    this.ending.pause();
    this.opening.pause();
    showPlaying(this.play, false);
  }

  private async start(): Promise<void> {
    this.isSideBySide = false;
    this.isPlaying = true;
    await this.show();
    // A person may have stopped the loop meanwhile, and a clip may not have loaded.
    if (this.isStopped() || !hasLoaded(this.ending) || !hasLoaded(this.opening)) {
      this.stop();
      return;
    }
    this.rewind();
    await this.ending.play().catch(() => undefined);
    this.showSide('before');
    this.tick();
  }

  private isStopped(): boolean {
    return !this.isPlaying;
  }

  private rewind(): void {
    this.ending.currentTime = Math.max(0, this.ending.duration - this.loopSeconds);
    this.opening.currentTime = 0;
  }

  private tick(): void {
    if (!this.isPlaying) return;
    const { ending, opening } = this;
    const isBefore = this.stage.dataset['side'] === 'before';
    if (isBefore && ending.ended) {
      void opening.play().catch(() => undefined);
      this.showSide('after');
    } else if (!isBefore && (opening.ended || opening.currentTime >= this.loopSeconds)) {
      opening.pause();
      this.rewind();
      void ending.play().catch(() => undefined);
      this.showSide('before');
    }
    const frame = isBefore
      ? (ending.currentTime - ending.duration) / frameSecondsOf(ending)
      : opening.currentTime / frameSecondsOf(opening);
    this.slider.value = String(Math.floor(frame));
    this.position.textContent = this.inWords(Number(this.slider.value));
    requestAnimationFrame(() => {
      this.tick();
    });
  }
}

function hasLoaded({ duration }: HTMLVideoElement): boolean {
  return Number.isFinite(duration);
}

function clip(label: string): HTMLVideoElement {
  const video = make('video', { playsinline: '', preload: 'none', 'aria-label': label });
  video.muted = true;
  return video;
}

customElements.define('joint-loop', JointLoop);
