import fc from 'fast-check';

/** One change to a file. Positions wrap around, so every number is valid. */
interface Edit {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
  readonly span: number;
  readonly pick: number;
  readonly times: number;
}

const KINDS = ['overwrite', 'insert', 'remove', 'repeat', 'cut', 'flip', 'number', 'box', 'value', 'word'] as const;

/** Counts, sizes and times that often break parsers. */
const NUMBERS = [0, 1, 2, 0x7f, 0xff, 0xffff, 0x10000, 0xffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

/** Boxes of MP4, chunks of PNG and segments of JPEG that contain counts and sizes. */
const BOXES = [
  ...['ftyp', 'moov', 'mvhd', 'trak', 'tkhd', 'elst', 'mdhd', 'hdlr', 'stsd', 'stts', 'ctts', 'stsc', 'stsz', 'stco'],
  ...[
    'co64',
    'stss',
    'avcC',
    'mp4a',
    'esds',
    'mdat',
    'IHDR',
    'IDAT',
    'tEXt',
    'JFIF',
    '\xff\xc0',
    '\xff\xc4',
    '\xff\xda',
  ],
];

/** Texts that are hostile, or that parsers mistake for something else. */
const WORDS = [
  ...[
    'null',
    'true',
    '-1',
    '0',
    '1e999',
    '-0',
    '.nan',
    '0x1f',
    '99999999999999999999',
    '""',
    '[]',
    '{}',
    '[[]]',
    '{"a":1}',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '../../../outside', '/etc/passwd', '..', 'con', '~'],
  ...[
    '&a ',
    '*a',
    '<<: *a',
    '---',
    '!!set',
    '|',
    '>-',
    '"',
    "'",
    '#',
    '\t',
    '\r',
    '\n',
    '\0',
    '\u2028',
    '\ufeff',
    '\ud800',
  ],
  ...['{{date}}', '{{sku}}', '{{', '}}', '${HOME}', '=1+1', '%s', ',', ';', ': ', '- ', '  ', '[', ']', '{', '}'],
  ...['file:///etc/passwd', 'http://127.0.0.1:1/', 'data:image/png;base64,AAAA', 'https://[::1]/', 'javascript:1'],
  ...['COMPLETED', 'FAILED', 'success', 'alpha-video', 'lastFrameOf', 'stillOf', '{ still: {} }', 'shots', 'rows'],
  ...['\u001b]0;owned\u0007', '\u202e', 'a'.repeat(5_000), '9'.repeat(400), '['.repeat(300), '{"a":'.repeat(300)],
];

/** The words' UTF-8 bytes, one in each character. `Buffer` would replace a lone surrogate, so its bytes are literal. */
const WORD_BYTES = WORDS.map((word) => (word === '\ud800' ? '\xed\xa0\x80' : Buffer.from(word).toString('latin1')));

const VALUES = /"(?:[^"\\\n]|\\.)*"|[\w.+-]+/g;

/** Largest mutated file, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

const EDITS = fc.array(
  fc.record<Edit>({
    kind: fc.constantFrom(...KINDS),
    at: fc.nat(),
    span: fc.nat({ max: 64 }),
    pick: fc.nat(),
    times: fc.nat({ max: 2_000 }),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Changes a sample in a few places. The same sample and seed give the same bytes. */
export function mutated(sample: Buffer, seed: number): Buffer {
  const [edits = []] = fc.sample(EDITS, { seed, numRuns: 1 });
  // In latin1 every byte is one character, so the bytes survive the round trip.
  const text = edits.reduce(changed, sample.toString('latin1'));
  return Buffer.from(text.slice(0, MOST_BYTES), 'latin1');
}

function changed(text: string, { kind, at, span, pick, times }: Edit): string {
  const place = at % (text.length + 1);
  const [before, rest] = [text.slice(0, place), text.slice(place)];
  const number = u32(chosen(NUMBERS, pick));
  const word = chosen(WORD_BYTES, pick);
  switch (kind) {
    case 'overwrite':
      return before + String.fromCharCode(pick % 256).repeat(span) + rest.slice(span);
    case 'insert':
      return before + String.fromCharCode(pick % 256).repeat(span) + rest;
    case 'remove':
      return before + rest.slice(span * (times % 50));
    case 'repeat':
      return before + rest.slice(0, span).repeat(times) + rest;
    case 'cut':
      return pick % 4 === 0 ? before : before + rest.slice(times);
    case 'flip':
      return before + String.fromCharCode((rest.charCodeAt(0) || 0) ^ (1 << (pick % 8))) + rest.slice(1);
    case 'number':
      return before + number + rest.slice(number.length);
    case 'box':
      return inBox(text, chosen(BOXES, at), span, number);
    case 'value': {
      const values = [...text.matchAll(VALUES)];
      const value = values[at % (values.length || 1)];
      return value === undefined ? text : text.slice(0, value.index) + word + text.slice(value.index + value[0].length);
    }
    case 'word':
      return before + word + rest;
  }
}

/** Sets a number in a box's header, or shortly after the header. */
function inBox(text: string, box: string, span: number, number: string): string {
  const start = text.indexOf(box);
  if (start === -1) return text;
  const place = start + (span % 8) * 4 - 4;
  return place < 0 ? text : text.slice(0, place) + number + text.slice(place + number.length);
}

function u32(value: number): string {
  return String.fromCharCode(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

function chosen<T>(list: readonly T[], pick: number): T {
  return list[pick % list.length] as T;
}
