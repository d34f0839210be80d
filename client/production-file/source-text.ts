import { type Alias, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Document, Node, ParsedNode, YAMLError } from 'yaml';
import { type Finding, type Path } from './finding';

/** Levels of nesting that a value may have. Nothing in a production needs a quarter of them. */
const MAX_DEPTH = 40;

/** A place in a text file; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface TextIssue extends Position {
  readonly message: string;
}

/** A YAML or JSON text as a plain value that remembers its lines. */
export interface SourceText {
  /** Undefined where the text cannot be read as one value. */
  readonly value: unknown;
  readonly readable: boolean;
  readonly issues: readonly TextIssue[];
  /** Where a value or its key stands; the nearest place around it where it is missing. */
  positionOf(finding: Pick<Finding, 'path' | 'at'>): Position;
}

/** Reads YAML, and so JSON, which is a part of it. Never throws. */
export function readSourceText(text: string): SourceText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const positionOf: SourceText['positionOf'] = ({ path, at: part }) => at(offsetOf(document, path, part));
  const issues = [...document.errors, ...document.warnings].map((error) => ({
    ...at(error.pos[0]),
    message: inWords(error),
  }));

  const unreadable = (more: readonly TextIssue[] = []): SourceText => ({
    value: undefined,
    readable: false,
    issues: [...issues, ...more],
    positionOf,
  });
  // A key that stands twice leaves the rest worth checking; any other slip makes the parser guess.
  if (document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')) return unreadable();
  const strange = strangeNodes(document).map(({ offset, message }) => ({ ...at(offset), message }));
  if (strange.length > 0) return unreadable(strange);
  try {
    const value: unknown = document.toJS();
    const deep = tooDeep(value, []);
    if (deep === undefined) return { value, readable: true, issues, positionOf };
    const message = `nested deeper than ${MAX_DEPTH} levels`;
    return unreadable([{ ...positionOf({ path: deep, at: 'value' }), message }]);
  } catch {
    return unreadable([{ line: 1, column: 1, message: 'too many aliases (*name); write the values out' }]);
  }
}

function inWords({ code, message }: YAMLError): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'this key stands twice in the same map; remove one';
    case 'MULTIPLE_DOCS':
      return 'a second document starts here; a file holds one production, so remove the line of dashes or split the file';
    case 'TAB_AS_INDENT':
      return 'a tab indents this line; YAML takes spaces only';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'a colon and a space start a map inside of this text; put the text in quotes, or on lines of its own after >-';
    case 'BLOCK_IN_FLOW':
      return 'a comma or a closing bracket is missing before this';
    case 'TAG_RESOLVE_FAILED':
      return `unknown tag (${message.replace('Unresolved tag: ', '')}); remove it, or put the text in quotes`;
    default:
      return `not readable as YAML or JSON: ${message}`;
  }
}

interface StrangeNode {
  readonly offset: number;
  readonly message: string;
}

/** What YAML allows and a plain value cannot hold. Looked for first, since turning it into one can take for ever. */
function strangeNodes(document: Document.Parsed): readonly StrangeNode[] {
  const strange: StrangeNode[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key)) return undefined;
      strange.push({ offset: startOf(key) ?? 0, message: 'a key must be one word, no list, map or alias' });
      return visit.SKIP;
    },
    Node: (_, node, ancestors) => {
      if (!isAlias(node)) return undefined;
      const target = node.resolve(document);
      if (target === undefined || ancestors.includes(target))
        strange.push({ offset: startOf(node) ?? 0, message: aliasInWords(node, target !== undefined) });
      return undefined;
    },
  });
  return strange;
}

function tooDeep(value: unknown, path: Path): Path | undefined {
  if (path.length > MAX_DEPTH) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const deep = tooDeep(child, [...path, key]);
    if (deep !== undefined) return deep;
  }
  return undefined;
}

function aliasInWords({ source }: Alias, known: boolean): string {
  return known
    ? `*${source} stands inside of what &${source} names; write the value out`
    : `nothing before this line is named &${source}; name it, or write the value out`;
}

function offsetOf(document: Document.Parsed, path: Path, part: Finding['at']): number {
  let node: Node | null = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [depth, step] of path.entries()) {
    const container: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isSeq(container)) {
      node = container.items[Number(step)] as ParsedNode | null;
      offset = startOf(node) ?? offset;
    } else if (isMap(container)) {
      const pair = container.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) return offset;
      node = pair.value as ParsedNode | null;
      const key = startOf(pair.key) ?? offset;
      const isEmpty = isScalar(node) && node.value === null;
      offset = (depth === path.length - 1 && part === 'key') || isEmpty ? key : (startOf(node) ?? key);
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
