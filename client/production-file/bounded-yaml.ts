import { Composer, CST, type Document, isAlias, Lexer, type LineCounter, type Node, Parser, visit } from 'yaml';
import { YAMLParseError } from 'yaml';

/** Levels of nesting that a value may have. Nothing in a production needs a quarter of them. */
export const MOST_LEVELS = 40;

/** Words, marks and line ends of a file. A production of two thousand takes with forty parameters each has some 800,000. */
const MOST_TOKENS = 1_000_000;

/** The composer compares each key of a map with all the others. */
const MOST_KEYS = 1_000;

/** Each alias looks through the anchors and aliases before it. */
const MOST_ALIASES = 5_000;

/** Values that all aliases together stand for. What reads the file meets each of them. */
const MOST_ALIASED_VALUES = 200_000;

/** More than a production may have: of one with a few too many the check says how many there are. */
const MOST_SHOTS = 2_000;

const TOO_MANY_SHOTS = `there are more than ${MOST_SHOTS} shots, and a production has at most 1000; part it into several, or render its tasks as a batch`;

/** Tokens that begin an item of a list or map. */
const ADDS_ITEM: ReadonlySet<CST.TokenType> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind', 'comma']);

/** A text passes a bound. The message says which, for a person; nothing was read beyond it. */
export class TooMuchYaml extends Error {
  override readonly name = 'TooMuchYaml';

  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Parses YAML as `parseDocument` does, but stops at the first bound that the text passes, so that no text takes long.
 *
 * @throws TooMuchYaml
 */
export function parseBounded(text: string, lineCounter: LineCounter, mostTokens = MOST_TOKENS): Document.Parsed {
  const composer = new Composer({ lineCounter, merge: true, prettyErrors: false });
  let first: Document.Parsed | undefined;
  for (const document of composer.compose(tokensOf(text, lineCounter, mostTokens), true, text.length)) {
    if (first === undefined) {
      first = document;
      continue;
    }
    const [start, end] = document.range;
    first.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', 'a second document'));
    break;
  }
  if (first === undefined) throw new RangeError('the composer always ends with a document');
  return first;
}

/** What each alias of a document names: the last node before it with that anchor. */
export type AliasTargets = ReadonlyMap<Node, Node>;

export function aliasTargets(document: Document.Parsed): AliasTargets {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target !== undefined) targets.set(node, target);
      } else if (node.anchor !== undefined) {
        anchors.set(node.anchor, node);
      }
    },
  });
  return targets;
}

/**
 * The first alias by which the document stands for too many values, as where aliases of aliases multiply.
 *
 * No alias may stand inside of what it names.
 */
export function firstAliasTooMany(targets: AliasTargets): Node | undefined {
  const sizes = new Map<Node, number>();
  const sizeOf = (target: Node): number => {
    const known = sizes.get(target);
    if (known !== undefined) return known;
    let size = 0;
    visit(target, {
      Node: (_, node) => {
        const named = targets.get(node);
        size += named === undefined ? 1 : sizeOf(named);
      },
    });
    sizes.set(target, size);
    return size;
  };
  let sum = 0;
  for (const [alias, target] of targets) {
    sum += sizeOf(target);
    if (sum > MOST_ALIASED_VALUES) return alias;
  }
  return undefined;
}

/** The parser holds a document back until it is whole, so what it has open is looked at after each token. */
function* tokensOf(text: string, lineCounter: LineCounter, mostTokens: number): Generator<CST.Token> {
  const parser = new Parser(lineCounter.addNewLine);
  lineCounter.addNewLine(0);
  let [tokens, aliases, isScalar] = [0, 0, false];
  for (const token of new Lexer().lex(text)) {
    const { offset } = parser;
    yield* parser.next(token);
    const type = isScalar ? 'scalar' : CST.tokenType(token);
    isScalar = !isScalar && token === CST.SCALAR;
    tokens += 1;
    if (type === 'alias') aliases += 1;
    const found =
      tokens > mostTokens
        ? `the file holds more than ${mostTokens} words and signs; part it into several`
        : aliases > MOST_ALIASES
          ? `there are more than ${MOST_ALIASES} aliases (*name); write the values out`
          : collectionTooLarge(parser.stack, type);
    if (found !== undefined) throw new TooMuchYaml(offset, found);
  }
  yield* parser.end();
}

/** What is wrong with the size of the list or map to which the token has added. */
function collectionTooLarge(open: readonly CST.Token[], type: CST.TokenType | null): string | undefined {
  // The document, and a scalar at the top, are none.
  if (open.length > MOST_LEVELS + 2) return `nested deeper than ${MOST_LEVELS} levels`;
  const [around, top] = open.slice(-2);
  if (type === null || !ADDS_ITEM.has(type) || !CST.isCollection(top)) return undefined;
  const isList = top.type === 'block-seq' || (top.type === 'flow-collection' && top.start.type === 'flow-seq-start');
  if (isList) return top.items.length > MOST_SHOTS && isAtShots(around) ? TOO_MANY_SHOTS : undefined;
  return top.items.length > MOST_KEYS ? `a map has more than ${MOST_KEYS} keys` : undefined;
}

/** Whether what is open in a map stands at the key `shots`. */
function isAtShots(around: CST.Token | undefined): boolean {
  if (!CST.isCollection(around)) return false;
  const key = around.items.at(-1)?.key;
  return CST.isScalar(key) && /^["']?shots["']?$/.test(key.source);
}
