/**
 * Finds a key in a text, ignoring upper and lower case. The key may be cut short, wrapped over lines, escaped (JSON,
 * percent, HTML), or encoded in base64 or hex. These encodings may be nested.
 */

/**
 * Number of consecutive characters of the key that count as a trace. Fewer may occur by chance, and do not reveal the
 * key.
 */
const TRACE_LENGTH = 12;

/** The search looks for whole blocks of the key, which are at most this long. */
const BLOCK_LENGTH = 6;

/** Maximum depth of nested encodings. A percent-encoded address that contains base64 of JSON has three. */
const MAX_LAYERS = 4;

/** A part of a text; the end is exclusive. */
export type Span = readonly [start: number, end: number];

/**
 * Makes a function that finds all traces of a key in a text, in order and without overlaps.
 *
 * @param traceLength number of consecutive characters of the key that count as a trace.
 */
export function createFindTraces(key: string, traceLength = TRACE_LENGTH): (text: string) => readonly Span[] {
  const lowerKey = lowerCase(key);
  const least = Math.min(traceLength, key.length);
  const blocks = blocksOf(lowerKey, least);
  // If the key is printable, so are its encodings. Then only long stretches of printable bytes are searched further.
  // Encoded media has almost none.
  const isPrintable = Array.from(key).every((character) => PRINTABLE.has(character));
  const stretchesOf = (bytes: Buffer): Iterable<Span> =>
    isPrintable ? runsOf(PRINTABLE, least, bytes.length, (at) => bytes[at]) : [[0, bytes.length]];

  function findIn(text: string, layers: number): readonly Span[] {
    const plain = plainTraces(lowerCase(text), lowerKey, blocks).filter(([start, end]) => end - start >= least);
    if (layers === 0) return plain;
    const decodings = [
      new Decoding(() => unescaped(text)),
      ...[BASE64, HEX].flatMap((coding) => decodingsOf(text, coding, least, stretchesOf)),
    ];
    const hidden = decodings.flatMap((decoding) =>
      decoding.text === '' ? [] : findIn(decoding.text, layers - 1).map((span) => decoding.sourceOf(span)),
    );
    return hidden.length === 0 ? plain : merged([...plain, ...hidden]);
  }
  return (text) => merged(findIn(text, MAX_LAYERS));
}

/**
 * Blocks of the key, each with its position in the key. They lie so close together that every trace contains a whole
 * block.
 *
 * @param least number of characters of the shortest trace.
 */
function blocksOf(key: string, least: number): readonly (readonly [at: number, block: string])[] {
  const length = Math.min(BLOCK_LENGTH, least);
  const step = Math.min(length, least - length + 1);
  const count = Math.floor((key.length - length) / step) + 1;
  return Array.from({ length: count }, (_, index) => [index * step, key.slice(index * step, index * step + length)]);
}

/** Finds the blocks in the text and extends each match in both directions while text and key agree. */
function plainTraces(text: string, key: string, blocks: ReturnType<typeof blocksOf>): Span[] {
  const found: Span[] = [];
  for (const [at, block] of blocks) {
    let end = 0;
    for (let offset = text.indexOf(block); offset !== -1; offset = text.indexOf(block, end)) {
      let before = 0;
      while (before < at && before < offset && text[offset - before - 1] === key[at - before - 1]) before += 1;
      let length = block.length;
      while (at + length < key.length && text[offset + length] === key[at + length]) length += 1;
      end = offset + length;
      found.push([offset - before, end]);
    }
  }
  return found;
}

/**
 * A decoded part of an encoded run of a text.
 *
 * - `source`: the index in the text at which the run starts.
 * - `scale`: the number of the text's characters that make one decoded character.
 * - `before`: the number of the run's decoded characters before this part. Default: 0.
 */
type Piece = readonly [decoded: string, source: number, scale: number, before?: number];

/** A decoded text that can be mapped back to its source. */
class Decoding {
  readonly text: string;
  readonly #pieces: () => Iterable<Piece>;
  /** Where each piece starts in the decoded text. Built only when needed. */
  #placed: { readonly starts: readonly number[]; readonly pieces: readonly Piece[] } | undefined;

  constructor(pieces: () => Iterable<Piece>) {
    this.#pieces = pieces;
    this.text = Array.from(pieces(), ([decoded]) => decoded).join('');
  }

  /** The part of the source from which a part of the decoded text was decoded. */
  sourceOf([start, end]: Span): Span {
    return [this.#sourceAt(start, start), this.#sourceAt(end - 1, end)];
  }

  /**
   * Maps the start or end of a decoded character to an offset in the source.
   *
   * @param character index of the decoded character. `decodedOffset` is this index, or one more for the character's
   *   end.
   */
  #sourceAt(character: number, decodedOffset: number): number {
    this.#placed ??= placed(this.#pieces());
    const { starts, pieces } = this.#placed;
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= character) low = middle;
      else high = middle - 1;
    }
    const [, source, scale, before = 0] = pieces[low] ?? ['', 0, 1];
    const offset = (before + decodedOffset - (starts[low] ?? 0)) * scale;
    return source + (decodedOffset === character ? Math.floor(offset) : Math.ceil(offset));
  }
}

function placed(given: Iterable<Piece>): { starts: readonly number[]; pieces: readonly Piece[] } {
  const pieces = [...given].filter(([decoded]) => decoded !== '');
  let length = 0;
  const starts = pieces.map(([decoded]) => {
    length += decoded.length;
    return length - decoded.length;
  });
  return { starts, pieces };
}

/** HTML's names for characters that a key may contain. */
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", excl: '!', num: '#', dollar: '$', percnt: '%', lpar: '(' },
  ...{ rpar: ')', ast: '*', midast: '*', plus: '+', comma: ',', period: '.', sol: '/', colon: ':', semi: ';' },
  ...{ equals: '=', quest: '?', commat: '@', lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', hat: '^' },
  ...{ lowbar: '_', underbar: '_', grave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|', rcub: '}', rbrace: '}' },
};

/**
 * Line breaks, which wrap long words, and escapes of ASCII characters in JSON, JavaScript, addresses, quoted-printable
 * and HTML.
 */
const ESCAPES = new RegExp(
  [
    /(?<wrap>=?[\r\n]+[ \t]*|\\[rn])/,
    /\\u00(?<unicode>[\da-f]{2})/,
    /\\u\{0*(?<braced>[\da-f]{2})\}/,
    /(?:\\x|%|=)(?<byte>[\da-f]{2})/,
    /&#x0*(?<number>[\da-f]{2});?/,
    /&#0*(?<decimal>\d{2,3});?/,
    /&(?<name>[a-z]{2,8});/,
    /\\(?<itself>[^\w\s])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

function* unescaped(text: string): Generator<Piece> {
  let last = 0;
  for (const match of text.matchAll(ESCAPES)) {
    const [escape] = match;
    const character = characterOf(match.groups ?? {});
    if (character === undefined) continue;
    yield [text.slice(last, match.index), last, 1];
    yield [character, match.index, escape.length];
    last = match.index + escape.length;
  }
  if (last > 0) yield [text.slice(last), last, 1];
}

/** The decoded character: empty for a line break, undefined for an unknown HTML name. */
function characterOf(groups: Readonly<Record<string, string | undefined>>): string | undefined {
  const { wrap, unicode, braced, byte, number, decimal, name, itself } = groups;
  if (wrap !== undefined) return '';
  if (name !== undefined) return ENTITIES[name.toLowerCase()];
  if (itself !== undefined) return itself;
  const digits = unicode ?? braced ?? byte ?? number;
  return String.fromCharCode(digits === undefined ? Number(decimal) : Number.parseInt(digits, 16));
}

/** ASCII characters of one kind. */
class CharacterSet {
  readonly #members: readonly boolean[];

  constructor(member: RegExp) {
    this.#members = Array.from({ length: 128 }, (_, code) => member.test(String.fromCharCode(code)));
  }

  hasCode(code: number | undefined): boolean {
    return code !== undefined && this.#members[code] === true;
  }

  has(character: string): boolean {
    return character.length === 1 && this.hasCode(character.charCodeAt(0));
  }
}

/** Printable ASCII, tabs and line breaks: every encoding that is searched consists of these characters. */
const PRINTABLE = new CharacterSet(/[\t\n\r\x20-\x7e]/);

/** A coding of bytes as characters. */
interface Coding {
  readonly name: 'base64' | 'hex';
  readonly characters: CharacterSet;
  readonly charactersToByte: number;
  /** The key may begin anywhere in a run. So a run is decoded at each offset within a group of characters. */
  readonly offsets: readonly number[];
}

const BASE64: Coding = {
  name: 'base64',
  characters: new CharacterSet(/[A-Za-z0-9+/_-]/),
  charactersToByte: 4 / 3,
  offsets: [0, 1, 2, 3],
};
const HEX: Coding = {
  name: 'hex',
  characters: new CharacterSet(/[\da-fA-F]/),
  charactersToByte: 2,
  offsets: [0, 1],
};

/**
 * Decodes the runs of a text that are long enough for an encoded trace, once for each offset.
 *
 * @param stretchesOf the parts of decoded bytes that are searched.
 */
function decodingsOf(
  text: string,
  { name, characters, charactersToByte, offsets }: Coding,
  least: number,
  stretchesOf: (bytes: Buffer) => Iterable<Span>,
): readonly Decoding[] {
  const runs = [...runsOf(characters, Math.ceil(least * charactersToByte), text.length, (at) => text.charCodeAt(at))];
  function* decoded(skipped: number): Generator<Piece> {
    for (const [start, end] of runs) {
      const bytes = Buffer.from(text.slice(start + skipped, end), name);
      for (const [from, to] of stretchesOf(bytes)) {
        // The zero character separates two stretches, since something else is between them.
        yield [`${bytes.toString('latin1', from, to)}\0`, start + skipped, charactersToByte, from];
      }
    }
  }
  return runs.length === 0 ? [] : offsets.map((skipped) => new Decoding(() => decoded(skipped)));
}

/** The maximal runs of a set's characters, without runs that are shorter than `least`. */
function* runsOf(
  set: CharacterSet,
  least: number,
  length: number,
  codeAt: (at: number) => number | undefined,
): Generator<Span> {
  let start = 0;
  while (start + least <= length) {
    // Check the last of the `least` characters first. If it is not in the set, no run from `start` is long enough, and
    // the characters before it need not be read.
    let last = start + least - 1;
    while (last >= start && set.hasCode(codeAt(last))) last -= 1;
    if (last < start) {
      let end = start + least;
      while (end < length && set.hasCode(codeAt(end))) end += 1;
      yield [start, end];
      last = end;
    }
    start = last + 1;
  }
}

/**
 * Lower case of the same length: if converting all letters would change the length, only ASCII letters are converted.
 */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function merged(spans: readonly Span[]): readonly Span[] {
  const apart: [number, number][] = [];
  for (const [start, end] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = apart.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else apart.push([start, end]);
  }
  return apart;
}
