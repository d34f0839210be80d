/** Smallest drift between two clips that is corrected. A smaller drift is not visible. */
const DRIFT_SECONDS = 0.05;

/** Smallest drift that a seek corrects. The playback rate corrects smaller drifts without stopping the picture. */
const SEEK_FROM_SECONDS = 0.4;

/** Playback rates that correct a drift until it is below `IN_STEP_SECONDS`. */
const FASTER = 1.25;
const SLOWER = 0.8;
const IN_STEP_SECONDS = 0.015;

/** Frame length that is assumed until the frame rate of a clip is measured. */
const USUAL_FRAME_SECONDS = 1 / 24;

/**
 * Number of intervals between frames that are measured. The shortest one is used, because a player drops some frames.
 */
const FRAMES_MEASURED = 12;

/** Plays clips in step. The longest clip is the clock; the other clips follow it. */
export class ClipsInStep {
  isPlaying = false;
  private readonly clips: () => readonly HTMLVideoElement[];
  private readonly onChange: () => void;

  /** @param onChange called when the position or `isPlaying` has changed. */
  constructor(clips: () => readonly HTMLVideoElement[], onChange: () => void) {
    this.clips = clips;
    this.onChange = onChange;
  }

  get seconds(): number {
    return leaderOf(this.clips())?.currentTime ?? 0;
  }

  get length(): number {
    return lengthOf(leaderOf(this.clips()));
  }

  get frameSeconds(): number {
    return frameSecondsOf(leaderOf(this.clips()));
  }

  async play(): Promise<void> {
    this.isPlaying = true;
    this.onChange();
    await this.load();
    if (this.isStopped()) return;
    const from = this.seconds >= this.length - this.frameSeconds ? 0 : this.seconds;
    for (const clip of this.playable()) setTime(clip, from);
    await Promise.all(this.playable().map(ready));
    if (this.isStopped()) return;
    await Promise.allSettled(this.playable().map((clip) => clip.play()));
    this.tick();
  }

  /** Checked after each wait, because a person may have stopped the clips meanwhile. */
  private isStopped(): boolean {
    return !this.isPlaying;
  }

  stop(): void {
    const wasPlaying = this.isPlaying;
    this.isPlaying = false;
    for (const clip of this.clips()) clip.pause();
    if (wasPlaying) this.showAt(this.seconds);
    this.onChange();
  }

  toggle(): void {
    if (this.isPlaying) this.stop();
    else void this.play();
  }

  /** Shows a position. Playback continues if it was running. */
  async seek(seconds: number): Promise<void> {
    await this.load();
    this.showAt(Math.min(Math.max(0, seconds), this.length));
    this.onChange();
  }

  /** Stops, and moves by this number of frames. */
  async step(frames: number): Promise<void> {
    this.stop();
    await this.load();
    const frame = Math.floor(this.seconds / this.frameSeconds + 0.01) + frames;
    // Seek to the middle of the frame, so that rounding cannot show a neighbouring frame.
    await this.seek((Math.max(0, frame) + 0.5) * this.frameSeconds);
  }

  private showAt(seconds: number): void {
    for (const clip of this.playable()) setTime(clip, seconds);
  }

  private async load(): Promise<void> {
    await Promise.all(this.clips().map(loaded));
  }

  private playable(): readonly HTMLVideoElement[] {
    return this.clips().filter(({ error, readyState }) => error === null && readyState > 0);
  }

  private tick(): void {
    if (!this.isPlaying) return;
    const clips = this.playable();
    const leader = leaderOf(clips);
    if (leader === undefined) {
      this.stop();
      return;
    }
    if (leader.ended) {
      for (const clip of clips) setTime(clip, 0);
      for (const clip of clips) void clip.play().catch(() => undefined);
    } else {
      for (const clip of clips) if (clip !== leader) follow(clip, leader.currentTime);
    }
    this.onChange();
    requestAnimationFrame(() => {
      this.tick();
    });
  }
}

/** Resolves when the clip's length is known, or the clip cannot be played. */
export async function loaded(clip: HTMLVideoElement): Promise<void> {
  measureFrames(clip);
  if (clip.readyState > HTMLMediaElement.HAVE_NOTHING || clip.error !== null) return;
  const isLoading = clip.preload === 'auto';
  clip.preload = 'auto';
  if (!isLoading) clip.load();
  await next(clip, ['loadedmetadata', 'error']);
}

/** Resolves when the clip can begin to play, so that all clips begin together. */
async function ready(clip: HTMLVideoElement): Promise<void> {
  const isAtEnd = clip.currentTime >= lengthOf(clip);
  if (isAtEnd || clip.error !== null || clip.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA) return;
  await next(clip, ['canplay', 'error']);
}

async function next(clip: HTMLVideoElement, events: readonly string[]): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const name of events)
      clip.addEventListener(
        name,
        () => {
          resolve();
        },
        { once: true },
      );
  });
}

/** The measured length of a frame, or the usual length before the measurement has ended. */
export function frameSecondsOf(clip: HTMLVideoElement | undefined): number {
  return (clip === undefined ? undefined : frames.get(clip)) ?? USUAL_FRAME_SECONDS;
}

const frames = new WeakMap<HTMLVideoElement, number>();

function measureFrames(clip: HTMLVideoElement): void {
  if (frames.has(clip) || !('requestVideoFrameCallback' in clip)) return;
  frames.set(clip, USUAL_FRAME_SECONDS);
  let last: number | undefined;
  let shortest = Infinity;
  let remaining = FRAMES_MEASURED;
  const measure = (_now: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
    const interval = last === undefined ? 0 : mediaTime - last;
    last = mediaTime;
    // After a seek, the interval is longer or negative.
    if (interval > 1 / 240 && interval < 1 / 5) {
      shortest = Math.min(shortest, interval);
      remaining -= 1;
    }
    if (remaining > 0) clip.requestVideoFrameCallback(measure);
    else frames.set(clip, shortest);
  };
  clip.requestVideoFrameCallback(measure);
}

function leaderOf(clips: readonly HTMLVideoElement[]): HTMLVideoElement | undefined {
  return clips.reduce<HTMLVideoElement | undefined>(
    (longest, clip) => (longest === undefined || lengthOf(clip) > lengthOf(longest) ? clip : longest),
    undefined,
  );
}

function lengthOf(clip: HTMLVideoElement | undefined): number {
  const length = clip?.duration ?? 0;
  return Number.isFinite(length) ? length : 0;
}

function setTime(clip: HTMLVideoElement, seconds: number): void {
  clip.playbackRate = 1;
  clip.currentTime = Math.min(seconds, lengthOf(clip));
}

function follow(clip: HTMLVideoElement, seconds: number): void {
  // A shorter clip waits on its last frame.
  if (seconds >= lengthOf(clip) || clip.seeking) return;
  if (clip.paused) void clip.play().catch(() => undefined);
  const behind = seconds - clip.currentTime;
  const drift = Math.abs(behind);
  if (drift > SEEK_FROM_SECONDS) setTime(clip, seconds);
  else if (drift > DRIFT_SECONDS) clip.playbackRate = behind > 0 ? FASTER : SLOWER;
  else if (drift < IN_STEP_SECONDS) clip.playbackRate = 1;
}
