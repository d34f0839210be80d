import { Composer, CST, type Document, isAlias, Lexer, type LineCounter, type Node, Parser, visit } from 'yaml';
import { YAMLParseError } from 'yaml';
import { MOST_SHOTS } from '../../../contracts/render/plan';

/** Maximum number of levels of nesting. A production needs fewer than a quarter of them. */
export const MOST_LEVELS = 40;

/** Maximum number of tokens of a file. A production of 2,000 takes with forty parameters each has about 700,000. */
const MOST_TOKENS = 1_000_000;

/** Maximum number of keys of a map. The composer compares each key with all others. */
const MOST_KEYS = 1_000;

/** Maximum number of aliases. Resolving an alias searches all anchors and aliases before it. */
const MOST_ALIASES = 5_000;

/** Maximum number of values that all aliases together expand to. Every reader of the file visits each value. */
const MOST_ALIASED_VALUES = 200_000;

/**
 * Maximum number of shots that are read. It is above a production's limit, so that the check can count the shots of a
 * file that is slightly too long.
 */
const MAX_SHOTS_READ = 2 * MOST_SHOTS;

const TOO_MANY_SHOTS = `there are more than ${MAX_SHOTS_READ} shots, and a production has at most ${MOST_SHOTS}; split it into several, or render its tasks as a batch`;

/** Tokens that begin an item of a list or map. */
const ADDS_ITEM: ReadonlySet<CST.TokenType> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind', 'comma']);

/** The text exceeds a limit, which the message names. The text after `offset` was not parsed. */
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
 * Parses YAML as `parseDocument` does with `merge: true`, but stops at the first limit that the text exceeds.
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

/** The node that each alias of a document refers to: the last node with the alias's anchor before the alias. */
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
 * The first alias at which the aliases together expand to more than `MOST_ALIASED_VALUES`; undefined if there is none.
 *
 * No alias may be inside the node that it refers to: the function would recurse without end.
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

/** The parser yields only complete documents, so the parser's open collections are checked after each token. */
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
        ? `the file has more than ${mostTokens} words and punctuation marks; split it into several files`
        : aliases > MOST_ALIASES
          ? `there are more than ${MOST_ALIASES} aliases (*name); write the values out`
          : collectionTooLarge(parser.stack, type);
    if (found !== undefined) throw new TooMuchYaml(offset, found);
  }
  yield* parser.end();
}

/** A message if the collection to which the token was added is too large or too deep; otherwise undefined. */
function collectionTooLarge(open: readonly CST.Token[], type: CST.TokenType | null): string | undefined {
  // The stack also holds the document, and perhaps a scalar at the top.
  if (open.length > MOST_LEVELS + 2) return `nested deeper than ${MOST_LEVELS} levels`;
  const [around, top] = open.slice(-2);
  if (type === null || !ADDS_ITEM.has(type) || !CST.isCollection(top)) return undefined;
  const isList = top.type === 'block-seq' || (top.type === 'flow-collection' && top.start.type === 'flow-seq-start');
  if (isList) return top.items.length > MAX_SHOTS_READ && isAtShots(around) ? TOO_MANY_SHOTS : undefined;
  return top.items.length > MOST_KEYS ? `a map has more than ${MOST_KEYS} keys` : undefined;
}

/** Whether the open list is the value of the key `shots`. */
function isAtShots(around: CST.Token | undefined): boolean {
  if (!CST.isCollection(around)) return false;
  const key = around.items.at(-1)?.key;
  return CST.isScalar(key) && /^["']?shots["']?$/.test(key.source);
}
