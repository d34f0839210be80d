import { z } from 'zod';
import { counted } from '../../../contracts/counted';
import { type Finding, type Path, wrongKey, wrongValue } from '../../wording/finding';
import { anyOf, didYouMean, dotted, shown } from '../../wording/phrases';

type Issue = z.core.$ZodIssue;

type OwnerOf = (path: Path) => string | undefined;

/**
 * The errors of a value against a schema, in words.
 *
 * @param ownerOf returns the model whose rule applies at a path, for messages; undefined if the rule is the file's.
 */
export function schemaFindings(
  schema: z.ZodType,
  value: unknown,
  ownerOf: OwnerOf = () => undefined,
): readonly Finding[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const { issues } = result.error;
  const misnamed = issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => dotted(plainPath(path)));
  // If a map has an unknown key, drop errors of custom rules about that map: the unknown key may have caused them.
  const telling = issues.filter(({ code, path }) => code !== 'custom' || !misnamed.includes(dotted(plainPath(path))));
  return telling.flatMap((issue) => findingsOf(issue, schema, value, ownerOf));
}

/** Names of the keys that a schema lists at a path; empty if it lists none. */
export function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  const part = schemaAt(schema, path);
  const objects = part instanceof z.ZodUnion ? (part.options as z.ZodType[]) : [part];
  return objects.flatMap((object) => (object instanceof z.ZodObject ? Object.keys(object.shape) : []));
}

/** The values that a schema lists at a path; empty if it lists none. */
export function choicesAt(schema: z.ZodType, path: Path): readonly unknown[] {
  return choices(schemaAt(schema, path));
}

/** Maximum number of characters that a schema takes at a path; undefined if it takes no text or has no limit. */
export function mostCharactersAt(schema: z.ZodType, path: Path): number | undefined {
  const limits = textsIn(schemaAt(schema, path)).map(({ maxLength }) => maxLength ?? Infinity);
  const most = Math.max(0, ...limits);
  return limits.length === 0 || most === Infinity ? undefined : most;
}

/** Whether the schema at a path, or one of its alternatives, is a string schema. Form and length do not matter. */
export function takesText(schema: z.ZodType, path: Path): boolean {
  return textsIn(schemaAt(schema, path)).length > 0;
}

/** The text schemas among a schema and its alternatives, such as those of `type: [string, "null"]`. */
function textsIn(schema: z.ZodType | undefined): readonly z.ZodString[] {
  if (schema instanceof z.ZodString) return [schema];
  return schema instanceof z.ZodUnion ? (schema.options as z.ZodType[]).flatMap(textsIn) : [];
}

function findingsOf(issue: Issue, schema: z.ZodType, root: unknown, ownerOf: OwnerOf): readonly Finding[] {
  const path = plainPath(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const allowed = keysAt(schema, path);
    return issue.keys.map((key) => wrongKey([...path, key], unknownKey(key, allowed, path)));
  }
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.filter((branch) => !branch.some(isOfAnotherType));
    if (meant.length === 1) {
      const branch = meant[0] ?? [];
      return branch.flatMap((inner) => findingsOf({ ...inner, path: [...path, ...inner.path] }, schema, root, ownerOf));
    }
  }
  return [wrongValue(path, describe(issue, path, schemaAt(schema, path), valueAt(root, path), ownerOf(path)))];
}

function plainPath(path: readonly PropertyKey[]): Path {
  return path.filter((step) => typeof step !== 'symbol');
}

function isOfAnotherType(issue: Issue): boolean {
  return issue.path.length === 0 && ['invalid_type', 'invalid_value'].includes(issue.code);
}

function unknownKey(key: string, allowed: readonly string[], path: Path): string {
  const place = path.length === 0 ? '' : ` in ${dotted(path)}`;
  return `unknown key ${JSON.stringify(key)}${place}.${didYouMean(key, allowed) || ` Allowed are ${anyOf(allowed)}.`}`;
}

function describe(issue: Issue, path: Path, schema: z.ZodType | undefined, value: unknown, owner?: string): string {
  const name = path.length === 0 ? 'the value' : dotted(path);
  const rule = owner === undefined ? 'it must be' : `${owner} takes`;
  const allowed = schema === undefined ? undefined : allowedBy(schema);
  const own = ['custom', 'invalid_format', 'invalid_union'].includes(issue.code) || allowed === undefined;

  if (value === undefined && path.length > 0) {
    const needed = allowed === undefined || own ? 'it is needed' : `it must be ${allowed}`;
    return `${name} is missing; ${owner === undefined ? needed : `${owner} needs it`}`;
  }
  if (issue.code === 'too_big' && typeof value === 'string')
    return `${name} has ${value.length} characters; ${rule} at most ${issue.maximum}`;
  if (issue.code === 'too_big' && Array.isArray(value))
    return `${name} has ${value.length} entries; ${rule} at most ${issue.maximum}`;
  if (issue.code === 'too_small' && (typeof value === 'string' || Array.isArray(value))) {
    const inUnits = (count: number | bigint): string => sizeInWords(Number(count), typeof value === 'string');
    const found = value.length === 0 ? 'is empty' : `has ${inUnits(value.length)}`;
    return `${name} ${found}; it must have at least ${inUnits(issue.minimum)}`;
  }
  const bound = typeof value === 'number' ? boundOf(issue) : undefined;
  if (bound !== undefined) return `${name} is ${value as number}; ${rule} ${bound}`;
  if (own) return `${name} is ${shown(value)}; it ${issue.message.replace(/^Invalid .*?: /, '')}`;
  return `${name} is ${shown(value)}; ${rule} ${allowed}.${remedy(schema, value)}`.replace(/\.$/, '');
}

function sizeInWords(count: number, isText: boolean): string {
  return isText ? counted(count, 'character') : counted(count, 'entry', 'entries');
}

/** Words for a rule that a number breaks and that `numberIn` does not state; undefined for other rules. */
function boundOf(issue: Issue): string | undefined {
  if (issue.code === 'not_multiple_of') return `a multiple of ${issue.divisor}`;
  if (issue.code === 'too_small' && issue.inclusive === false) return `a number above ${issue.minimum}`;
  return issue.code === 'too_big' && issue.inclusive === false ? `a number below ${issue.maximum}` : undefined;
}

function remedy(schema: z.ZodType | undefined, value: unknown): string {
  if (schema instanceof z.ZodString && typeof value === 'number') return ' Write it in quotes.';
  return didYouMean(value, choices(schema));
}

/** The values that a schema accepts, as the end of a sentence; undefined if there are no words for the schema. */
function allowedBy(schema: z.ZodType): string | undefined {
  if (schema instanceof z.ZodString) return 'text';
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodArray) return 'a list';
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return `a map, as ${exampleOf(schema)}`;
  if (schema instanceof z.ZodNumber) return numberIn(schema);
  if (schema instanceof z.ZodUnion) {
    const options = (schema.options as z.ZodType[]).map(allowedBy);
    return options.includes(undefined) ? undefined : options.join(' or ');
  }
  const values = choices(schema);
  return values.length === 0 ? undefined : anyOf(values);
}

/** An example as a person writes it: the schema's `example`; else, for a map, its required keys or its first key. */
function exampleOf(given: z.ZodType): string {
  const schema = unwrapped(given);
  const written = schema.meta()?.['example'];
  if (typeof written === 'string') return written;
  if (schema instanceof z.ZodRecord) return `{ name: ${exampleOf(schema.valueType as z.ZodType)} }`;
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries<z.ZodType>(schema.shape);
    const needed = shape.filter(([, value]) => !value.safeParse(undefined).success);
    const keys = needed.length === 0 ? shape.slice(0, 1) : needed;
    return `{ ${keys.map(([key, value]) => `${key}: ${exampleOf(value)}`).join(', ')} }`;
  }
  if (schema instanceof z.ZodBoolean) return 'true';
  if (schema instanceof z.ZodNumber) return String(Math.min(Math.max(1, schema.minValue ?? 1), schema.maxValue ?? 1));
  const [first] = choices(schema);
  return typeof first === 'string' ? first : '…';
}

function choices(schema: z.ZodType | undefined): readonly unknown[] {
  if (schema instanceof z.ZodEnum) return schema.options;
  return schema instanceof z.ZodLiteral ? [...schema.values] : [];
}

function numberIn(schema: z.ZodNumber): string {
  const kind = schema.format?.includes('int') === true ? 'a whole number' : 'a number';
  const [min, max] = [schema.minValue, schema.maxValue].map((bound) =>
    bound === null || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound,
  );
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
  if (min !== undefined) return `${kind} of at least ${min}`;
  return max === undefined ? kind : `${kind} of at most ${max}`;
}

/** The part of a schema at a path; undefined if there is none. */
export function schemaAt(schema: z.ZodType, path: Path): z.ZodType | undefined {
  const inner = unwrapped(schema);
  const [step, ...rest] = path;
  if (step === undefined) return inner;
  if (inner instanceof z.ZodUnion) {
    const found = (inner.options as z.ZodType[]).map((option) => schemaAt(option, path));
    return found.find((part) => part !== undefined);
  }
  const next = childOf(inner, step);
  return next === undefined ? undefined : schemaAt(next, rest);
}

function childOf(schema: z.ZodType, step: string | number): z.ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (!(schema instanceof z.ZodObject)) return undefined;
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  return Object.hasOwn(shape, step) ? shape[step] : undefined;
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
}

/** The value at a path; undefined if there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    root,
  );
}
