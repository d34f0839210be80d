import { type Alias, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, visit } from 'yaml';
import type { Document, Node, ParsedNode, YAMLError } from 'yaml';
import {
  aliasTargets,
  type AliasTargets,
  firstAliasTooMany,
  MOST_LEVELS,
  parseBounded,
  TooMuchYaml,
} from './bounded-yaml';
import { type Finding, type Path } from '../../wording/finding';

/** A position in a text file. Line and column count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface TextIssue extends Position {
  readonly message: string;
}

/** A YAML or JSON text as a plain value, with the position of each part. */
export interface SourceText {
  /** Undefined if `readable` is false. */
  readonly value: unknown;
  readonly readable: boolean;
  readonly issues: readonly TextIssue[];
  /** The position of a value or its key; if the value is missing, the position of the nearest enclosing part. */
  positionOf(finding: Pick<Finding, 'path' | 'at'>): Position;
}

/**
 * Reads YAML, and JSON as a subset of it. Reports errors in the text as issues instead of throwing.
 *
 * @param mostTokens maximum number of tokens in the text. Default: the limit for a production file.
 */
export function readSourceText(text: string, mostTokens?: number): SourceText {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  let document: Document.Parsed;
  try {
    document = parseBounded(text, lines, mostTokens);
  } catch (error) {
    if (!(error instanceof TooMuchYaml)) throw error;
    const place = at(error.offset);
    return {
      value: undefined,
      readable: false,
      issues: [{ ...place, message: error.message }],
      positionOf: () => place,
    };
  }

  const targets = aliasTargets(document);
  const positionOf: SourceText['positionOf'] = ({ path, at: part }) => at(offsetOf(document, targets, path, part));
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
  // After a duplicate key, the value can still be checked. After any other error, the parser's result is a guess.
  if (document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')) return unreadable();
  const strange = strangeNodes(document, targets).map(({ offset, message }) => ({ ...at(offset), message }));
  if (strange.length > 0) return unreadable(strange);
  const tooMany = firstAliasTooMany(targets);
  if (tooMany !== undefined) {
    const message =
      'the aliases (*name) up to this one stand for too many values; write values out, or use fewer aliases';
    return unreadable([{ ...at(startOf(tooMany) ?? 0), message }]);
  }
  try {
    // `firstAliasTooMany` has already limited the aliases.
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    const deep = tooDeep(value, []);
    if (deep === undefined) return { value, readable: true, issues, positionOf };
    const message = `nested deeper than ${MOST_LEVELS} levels`;
    return unreadable([{ ...positionOf({ path: deep, at: 'value' }), message }]);
  } catch (error) {
    return unreadable([{ line: 1, column: 1, message: `not readable as YAML or JSON: ${messageOf(error)}` }]);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function inWords({ code, message }: YAMLError): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'this key stands twice in the same map; remove one';
    case 'MULTIPLE_DOCS':
      return 'a second document starts here; a file holds only one, so remove the line of dashes or split the file';
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

/** Unknown and cyclic aliases, and keys that are no scalars. Call this before `toJS`, which accepts cycles. */
function strangeNodes(document: Document.Parsed, targets: AliasTargets): readonly StrangeNode[] {
  const strange: StrangeNode[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key)) return undefined;
      strange.push({ offset: startOf(key) ?? 0, message: 'a key cannot be a list, a map or an alias' });
      return visit.SKIP;
    },
    Node: (_, node, ancestors) => {
      if (!isAlias(node)) return undefined;
      const target = targets.get(node);
      if (target === undefined || ancestors.includes(target))
        strange.push({ offset: startOf(node) ?? 0, message: aliasInWords(node, target !== undefined) });
      return undefined;
    },
  });
  return strange;
}

function tooDeep(value: unknown, path: Path): Path | undefined {
  if (path.length > MOST_LEVELS) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const deep = tooDeep(child, [...path, key]);
    if (deep !== undefined) return deep;
  }
  return undefined;
}

function aliasInWords({ source }: Alias, known: boolean): string {
  return known
    ? `*${source} is inside the value that &${source} names, so it would contain itself; write the value out`
    : `nothing before this line is named &${source}; name it, or write the value out`;
}

function offsetOf(document: Document.Parsed, targets: AliasTargets, path: Path, part: Finding['at']): number {
  let node: Node | null = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [depth, step] of path.entries()) {
    const container: unknown = isAlias(node) ? targets.get(node) : node;
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
