/** The scripts define custom elements, which exist only in a browser. Here their methods run on stand-ins. */
const elements = new Map<string, { readonly prototype: object }>();

// Counts times with a timer that never ends.
jest.mock('../../../studio/browser/elapsed', () => ({ inTime: String }));

// These read the document when they are loaded.
jest.mock('../../../studio/browser/live', () => ({}));
jest.mock('../../../studio/browser/keys', () => ({}));

type Method = (...args: unknown[]) => unknown;

beforeAll(() => {
  Object.assign(globalThis, {
    HTMLElement: Object,
    HTMLButtonElement: Array,
    HTMLMediaElement: { HAVE_NOTHING: 0 },
    customElements: { define: (name: string, element: { prototype: object }) => elements.set(name, element) },
  });
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- after the stand-ins
  for (const script of ['joint-loop', 'film-so-far', 'review-inbox']) require(`../../../studio/browser/${script}`);
});

/** A stand-in for an element with these fields and the methods of its class. */
function standIn<Fields extends object>(name: string, fields: Fields): Fields & Record<string, Method> {
  const made = Object.create(elements.get(name)!.prototype) as Fields & Record<string, Method>;
  return Object.assign(made, fields);
}

/** A video element. Like a browser, it accepts only finite times. */
function video(duration: number) {
  let time = 0;
  return {
    duration,
    ...{ error: Number.isNaN(duration) ? {} : null, readyState: Number.isNaN(duration) ? 0 : 1, poster: '' },
    get currentTime() {
      return time;
    },
    set currentTime(seconds: number) {
      if (!Number.isFinite(seconds)) throw new TypeError('not a finite number');
      time = seconds;
    },
    pause: () => undefined,
    play: jest.fn(() => Promise.resolve()),
  };
}

/** Makes a clip report the times of its frames. */
function withFrameRate<Clip extends object>(clip: Clip, rate: number): Clip {
  let frame = 0;
  const requestVideoFrameCallback = (shown: (now: number, of: { mediaTime: number }) => void): void => {
    frame += 1;
    shown(0, { mediaTime: frame / rate });
  };
  return Object.assign(clip, { requestVideoFrameCallback });
}

function joint(before: number, after: number) {
  const control = () => ({
    classList: { toggle: () => true },
    setAttribute: () => undefined,
    title: '',
    textContent: '',
  });
  return standIn('joint-loop', {
    ending: video(before),
    opening: video(after),
    play: control(),
    sideBySide: control(),
    position: control(),
    slider: { ...control(), min: '-1', max: '1', value: '-1' },
    stage: { dataset: {} },
    dataset: {},
    hasAttribute: () => true,
    isPlaying: false,
    isSideBySide: false,
  });
}

describe('the loop around a cut', () => {
  it.each([
    [NaN, 4],
    [4, NaN],
  ])('does not play if a clip cannot be loaded (%d s, %d s)', async (before, after) => {
    const loop = joint(before, after);
    await loop['start']!();
    expect(loop.isPlaying).toBe(false);
    expect(loop.ending.play).not.toHaveBeenCalled();
  });

  it('shows the frames of the present takes until their clips are loaded', () => {
    const { observedAttributes } = elements.get('joint-loop') as unknown as { observedAttributes: readonly string[] };
    const loop = joint(4, 4);
    loop.dataset = { beforeFrame: '/asset/new-last', afterFrame: '/asset/new-first' };
    for (const name of observedAttributes.slice(2)) loop['attributeChangedCallback']!(name);
    expect([loop.ending.poster, loop.opening.poster]).toEqual(['/asset/new-last', '/asset/new-first']);
  });

  it('shows whole frames of both clips, also if they have different frame rates', async () => {
    const loop = joint(4, 4);
    withFrameRate(loop.ending, 60);
    withFrameRate(loop.opening, 24);
    await loop['show']!();
    expect(loop.ending.currentTime).toBeCloseTo(4 - 0.5 / 60, 5);
    expect([loop.slider.min, loop.slider.max]).toEqual(['-90', '35']);
    loop.slider.value = '2';
    await loop['show']!();
    expect(loop.opening.currentTime).toBeCloseTo(2.5 / 24, 5);
    loop.isSideBySide = true;
    await loop['show']!();
    expect(loop.ending.currentTime).toBeCloseTo(4 - 2.5 / 60, 5);
    expect([loop.slider.min, loop.slider.max]).toEqual(['0', '35']);
  });

  it('counts frames from the cut alike, one at a time and side by side', () => {
    const loop = joint(4, 4);
    expect([-3, -1, 0, 2].map((frame) => loop['inWords']!(frame))).toEqual([
      ...['frame 3 before the cut', 'last frame before', 'first frame after', 'frame 3 after the cut'],
    ]);
    loop.isSideBySide = true;
    expect([0, 2].map((frame) => loop['inWords']!(frame))).toEqual([
      ...['the frames at the cut', 'frame 3 before and after the cut'],
    ]);
  });
});

describe('the inbox', () => {
  it('does not pass C to the takes, which would approve a take that may be out of view', () => {
    const wall = standIn('take-wall', { choose: jest.fn(), videos: () => [] });
    const inbox = standIn('review-inbox', { item: () => ({ querySelector: () => wall }) });
    expect(inbox['press']!({ key: 'c', isRepeat: false })).toBe(false);
    expect(wall.choose).not.toHaveBeenCalled();
    expect(wall['press']!({ key: 'c', isRepeat: false })).toBe(true);
    expect(wall.choose).toHaveBeenCalledTimes(1);
  });
});

describe('the film so far', () => {
  it.each(['altKey', 'ctrlKey', 'metaKey'])('leaves arrow keys with %s to the browser', (modifier) => {
    const jump = jest.fn();
    const film = standIn('film-so-far', { jump, index: 1 });
    expect(film['press']!({ key: 'ArrowLeft', target: null })).toBe(true);
    expect(film['press']!({ key: 'ArrowLeft', target: null, [modifier]: true })).toBe(false);
    expect(jump).toHaveBeenCalledTimes(1);
  });
});
