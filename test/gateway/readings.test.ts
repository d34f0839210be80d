import { leastOf } from '../support/least-of';
import { readCredits, readFailure, readId, readResult, readTaskState } from '../../gateway/readings';

const CLIP = 'https://cdn.example/a/clip.mp4?sig=1';
const FRAME = 'https://cdn.example/a/frame.png?sig=2';

describe('the place of the last frame', () => {
  const places: [string, Record<string, unknown>][] = [
    ['lastFrame', { lastFrame: FRAME }],
    ['lastFrame.url', { lastFrame: { url: FRAME } }],
    ['lastFrameUrl', { lastFrameUrl: FRAME }],
    ['lastFrameURL', { lastFrameURL: FRAME }],
    ['last_frame', { last_frame: FRAME }],
    ['last_frame.url', { last_frame: { url: FRAME, width: 1280 } }],
    ['last_frame_url', { last_frame_url: FRAME }],
    ['last_frame_image', { last_frame_image: FRAME }],
    ['last_frame_image_url', { last_frame_image_url: FRAME }],
    ['lastFrameImage.url', { lastFrameImage: { url: FRAME } }],
    ['a list', { lastFrames: [{ url: FRAME }] }],
    ['its item', { items: [{ url: CLIP, lastFrame: { url: FRAME } }] }],
    ['an image among items, by its ending', { items: [{ url: CLIP }, { url: FRAME }] }],
    ['an image among items, by its type', { items: [{ url: CLIP }, { url: 'https://cdn.example/2', type: 'image' }] }],
    [
      'an image among items, by its media type',
      {
        items: [
          { url: 'https://cdn.example/1', mediaType: 'video/mp4' },
          { url: FRAME, mediaType: 'image/png' },
        ],
      },
    ],
    [
      'the one of several images that says so',
      { items: [{ url: CLIP }, { url: FRAME, role: 'last_frame' }, { url: 'https://cdn.example/b.png' }] },
    ],
    [
      'the image that is no cover',
      { items: [{ url: 'https://cdn.example/cover.png' }, { url: CLIP }, { url: FRAME }] },
    ],
    ['items only holding the image', { items: [{ url: FRAME }] }],
  ];

  it.each(places)('is found at %s', (_, result) => {
    const { lastFrameUrl } = readResult({ result: { url: CLIP, ...result } });
    expect(lastFrameUrl).toBe(JSON.stringify(result).includes(FRAME) ? FRAME : 'https://cdn.example/2');
  });

  it('is found beside the result', () => {
    expect(readResult({ result: { url: CLIP }, lastFrame: FRAME }).lastFrameUrl).toBe(FRAME);
  });

  it('is found if the clip is only in items', () => {
    expect(readResult({ result: { items: [{ url: CLIP }, { url: FRAME }] } }).lastFrameUrl).toBe(FRAME);
  });

  it('is found beside a clip that is a plain address, or follows an item without one', () => {
    const frame = { url: FRAME, role: 'last_frame' };
    expect(readResult({ result: { items: [CLIP, frame] } }).lastFrameUrl).toBe(FRAME);
    expect(readResult({ result: { items: [{ text: 'done' }, { url: CLIP }, frame] } }).lastFrameUrl).toBe(FRAME);
  });

  it.each<[string, Record<string, unknown>]>([
    ['there is none', { url: CLIP, items: [{ url: CLIP }] }],
    ['it is null', { url: CLIP, lastFrame: null }],
    ['it is no address', { url: CLIP, lastFrame: 'pending' }],
    ['it is inline', { url: CLIP, lastFrame: 'data:image/png;base64,AAAA' }],
    ['the task made images', { url: FRAME, items: [{ url: FRAME }, { url: 'https://cdn.example/b.png' }] }],
    ['the task made images, given in items alone', { items: [{ url: FRAME }, { url: 'https://cdn.example/b.png' }] }],
    ['it could be either of two images', { url: CLIP, items: [{ url: FRAME }, { url: 'https://cdn.example/b.png' }] }],
    ['there is a cover only', { url: CLIP, items: [{ url: FRAME, type: 'thumbnail_image', mediaType: 'image/png' }] }],
    ['the task made one image, given in items alone', { items: [{ url: FRAME }] }],
    ['the task made text', { text: 'last frame' }],
    ['the result is empty', {}],
  ])('is not found if %s', (_, result) => {
    expect(readResult({ result }).lastFrameUrl).toBeNull();
  });
});

describe('a result', () => {
  it('is read completely, and kept unchanged', () => {
    const raw = { url: CLIP, items: [{ url: CLIP }, FRAME, { size: 1 }, null], model: 'beta-2.5', text: 't', extra: 1 };
    expect(readResult({ result: raw })).toEqual({
      url: CLIP,
      files: [
        { url: CLIP, isImage: false, isSound: false, isBeside: false },
        { url: FRAME, isImage: true, isSound: false, isBeside: false },
      ],
      lastFrameUrl: null,
      text: 't',
      model: 'beta-2.5',
      raw,
    });
  });

  it.each<[string, Record<string, unknown>, boolean]>([
    ['an item that calls itself a thumbnail', { url: FRAME, type: 'thumbnail_image' }, true],
    ['an item whose role is that of a last frame', { url: FRAME, role: 'last_frame' }, true],
    ['a cover by its name', { url: 'https://cdn.example/a/cover-1.png?sig=3' }, true],
    ['a picture that has a thumbnail', { url: FRAME, thumbnail: 'https://cdn.example/a/thumb.png' }, false],
    ['a clip that has a last frame', { url: CLIP, lastFrame: FRAME }, false],
    ['a picture whose prompt asks for a poster', { url: FRAME, revised_prompt: 'a film poster' }, false],
  ])('correctly treats %s as an additional file or not', (_, item, isBeside) => {
    expect(readResult({ result: { items: [item] } }).files).toMatchObject([{ isBeside }]);
  });

  it.each([undefined, null, 'text', 7, []])('of %p is a result without an address', (result) => {
    expect(readResult({ result })).toEqual({
      url: null,
      files: [],
      lastFrameUrl: null,
      text: null,
      model: null,
      raw: {},
    });
  });
});

describe('a task status', () => {
  it.each(['ACCEPTED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'])('%s is known', (status) => {
    expect(readTaskState(status)).toBe(status);
  });

  it.each([
    ['completed', 'COMPLETED'],
    ['Failed ', 'FAILED'],
    ['in progress', 'IN_PROGRESS'],
    ['In-Progress', 'IN_PROGRESS'],
  ])('%p is known in its odd spelling', (status, state) => {
    expect(readTaskState(status)).toBe(state);
  });

  it.each(['QUEUED', 'CANCELLED', 'DONE', 'COMPLETE', '', 'constructor'])('%p is not known', (status) => {
    expect(readTaskState(status)).toBeUndefined();
  });
});

describe('credits', () => {
  it.each<[unknown, number | null]>([
    [{ credits: 12.5 }, 12.5],
    [{ credits: 0 }, 0],
    [{ credits: '8' }, 8],
    [{ credits: ' 8.5 ' }, 8.5],
    [{ credits: '1e2' }, 100],
    [{ credits: '.5' }, 0.5],
    [{ credits: '' }, null],
    [{ credits: ' ' }, null],
    [{ credits: -3 }, null],
    [{ credits: '-3' }, null],
    [{ credits: '0x10' }, null],
    [{ credits: 'many' }, null],
    [{ credits: null }, null],
    [{}, null],
    [undefined, null],
    ['3', null],
  ])('of %p are %p', (usage, credits) => {
    expect(readCredits({ usage })).toBe(credits);
  });
});

describe('a task id', () => {
  it.each<[unknown, string | null]>([
    ['t-1', 't-1'],
    [42, '42'],
    ['', null],
    [1.5, null],
    [null, null],
    [{}, null],
  ])('of %p is %p', (value, id) => {
    expect(readId(value)).toBe(id);
  });
});

describe('the reason of a FAILED task', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, string | null, string | null]>([
    ['response.error', {}, { error: { code: 'unsafe', message: 'refused' } }, 'unsafe', 'refused'],
    ['response.error, a text', {}, { error: 'refused' }, null, 'refused'],
    ['response.failure', {}, { failure: { reason: 'refused' } }, null, 'refused'],
    ['response.result.error', {}, { result: { error: { errorCode: 7, detail: 'refused' } } }, '7', 'refused'],
    ['response.result', {}, { result: { error_code: 'E1', error_message: 'refused' } }, 'E1', 'refused'],
    ['response', {}, { code: 'unsafe', message: 'refused' }, 'unsafe', 'refused'],
    ['the envelope', { error: { code: 'unsafe', message: 'refused' } }, {}, 'unsafe', 'refused'],
    ['the envelope itself', { message: 'refused' }, {}, null, 'refused'],
    ['an empty error before a full one', { error: 'refused' }, { error: {} }, null, 'refused'],
    ['nowhere', {}, { error: null }, null, null],
  ])('is found in %s', (_, envelope, response, code, message) => {
    expect(readFailure(envelope, response)).toEqual({ code, message });
  });
});

describe('a result of very many files', () => {
  it('is read in a time that grows with their number, and without repeated addresses', async () => {
    const items = (count: number) =>
      Array.from({ length: count }, (_, index) => `https://cdn.example/${index % (count - 1)}`);
    const read = (count: number) => {
      const result = { items: items(count) };
      return () => readResult({ result });
    };
    expect(read(2_000)().files).toHaveLength(1_999);
    const [few, many] = [await leastOf(3, read(2_000)), await leastOf(3, read(20_000))];
    expect(many / few).toBeLessThan(50);
  });
});
