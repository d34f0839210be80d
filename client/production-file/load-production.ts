import { holdsBatch } from '../../contracts/file/batch-file';
import { type RunValues } from '../../contracts/file/run-values';
import { fillTexts } from '../../contracts/file/template';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { errorCode } from '../../store';
import { checkProduction, type CheckPolicy } from './checks/check-production';
import { type CheckedProduction } from './checked-production';
import { givenText, type PlaceIssue } from './text/given-text';
import { type FileIssue } from './issue';
import { variableFindings } from './run-variables';
import { readSourceText } from './text/source-text';
import { dotted } from '../wording/phrases';
import { absolute } from '../wording/working-folder';

/** A thousand shots with the longest prompts take five megabytes. */
const MAX_SIZE_BYTES = 8 * 1024 * 1024;

export type LoadedProduction =
  | { readonly ok: true; readonly production: CheckedProduction; /** The text of the file. */ readonly text: string }
  | { readonly ok: false; readonly issues: readonly FileIssue[] };

/**
 * Reads a production file, YAML or JSON, and checks its whole content, including models and named files.
 *
 * Sends and stores nothing. Never throws because of the file's content: all errors are returned at once, in line order.
 */
export function loadProduction(path: string, policy: CheckPolicy): Promise<LoadedProduction> {
  return load(path, policy, checkProduction);
}

/**
 * Loads a file with variables in its texts, such as `{{date}}`. Checks the file as written, and with the values filled
 * in. Returns the production as written.
 */
export function loadTemplate(path: string, policy: CheckPolicy, values: RunValues): Promise<LoadedProduction> {
  return load(path, policy, asTemplate(values));
}

function asTemplate(values: RunValues): typeof checkProduction {
  return async (value, context) => {
    const variables = variableFindings(value, Object.keys(values));
    const filled = await checkProduction(fillTexts(value, values), context);
    if (variables.length === 0 && !('findings' in filled)) return checkProduction(value, context);
    const places = new Set(variables.map(({ path: place }) => dotted(place)));
    // An error in a variable may cause another error in the filled text. Report only the error in the variable.
    const others = 'findings' in filled ? filled.findings.filter(({ path: place }) => !places.has(dotted(place))) : [];
    return { findings: [...variables, ...others] };
  };
}

/**
 * Checks a production that is an object instead of a file. Issues have a place such as `shots[2].duration` instead of a
 * line.
 *
 * @param values of the variables in the production's texts. Default: variables are neither checked nor filled in.
 */
export async function checkGiven(
  given: unknown,
  origin: TextOrigin,
  policy: CheckPolicy,
  values?: RunValues,
): Promise<
  Extract<LoadedProduction, { readonly ok: true }> | { readonly ok: false; readonly issues: readonly PlaceIssue[] }
> {
  const written = givenText(given);
  if ('issues' in written) return { ok: false, issues: written.issues };
  const check = values === undefined ? checkProduction : asTemplate(values);
  const loaded = await checkText(written.text, { file: 'production', ...origin }, policy, check);
  if (loaded.ok) return loaded;
  return { ok: false, issues: loaded.issues.map(({ line, message }) => ({ place: written.placeAt(line), message })) };
}

/**
 * Checks a text as if it were the content of the file at `path`. Issues have this path and the text's lines.
 *
 * Sends and stores nothing, and does not read the file.
 */
export function checkFileText(text: string, path: string, policy: CheckPolicy): Promise<LoadedProduction> {
  return checkText(text, originOf(path), policy, checkProduction);
}

/** The folder at which relative paths start, and the text from which an id is made if the production has no id. */
export interface TextOrigin {
  readonly folder: string;
  readonly fallbackId: string;
}

/** Checks a production's text. Issues name `file` as given. */
async function checkText(
  text: string,
  { file, folder, fallbackId }: TextOrigin & { readonly file: string },
  policy: CheckPolicy,
  check: typeof checkProduction,
): Promise<LoadedProduction> {
  const refused = (message: string): LoadedProduction => refusedFile(file, message);
  if (Buffer.byteLength(text) > MAX_SIZE_BYTES) return refused(tooLarge(Buffer.byteLength(text)));
  const source = readSourceText(text);
  if (source.readable && holdsBatch(source.value)) {
    return refused('this is a batch, not a production; `dailies batch` renders it, and checks it with --dry-run');
  }
  const checked = source.readable ? await check(source.value, { folder, fallbackId, policy }) : { findings: [] };
  if ('production' in checked && source.issues.length === 0) {
    return { ok: true, production: checked.production, text };
  }

  const findings = 'findings' in checked ? checked.findings : [];
  const issues = [
    ...source.issues,
    ...findings.map((finding) => ({ ...source.positionOf(finding), message: finding.message })),
  ].map((issue) => ({ file, ...issue }));
  return { ok: false, issues: issues.sort((a, b) => a.line - b.line || a.column - b.column) };
}

async function load(path: string, policy: CheckPolicy, check: typeof checkProduction): Promise<LoadedProduction> {
  const text = await readText(absolute(path));
  if (typeof text !== 'string') return refusedFile(path, text.message);
  return checkText(text, originOf(path), policy, check);
}

function originOf(path: string): TextOrigin & { readonly file: string } {
  return { file: path, folder: dirname(absolute(path)), fallbackId: basename(path, extname(path)) };
}

function refusedFile(file: string, message: string): LoadedProduction {
  return { ok: false, issues: [{ file, line: 1, column: 1, message }] };
}

function tooLarge(sizeBytes: number): string {
  return `the file has ${sizeBytes} bytes; a production has at most ${MAX_SIZE_BYTES}`;
}

async function readText(path: string): Promise<string | { readonly message: string }> {
  let bytes: Buffer;
  try {
    const entry = await stat(path);
    if (!entry.isFile()) return { message: 'this is no file; name a production file, for example lighthouse.yaml' };
    if (entry.size > MAX_SIZE_BYTES) return { message: tooLarge(entry.size) };
    bytes = await readFile(path);
  } catch (error) {
    const code = errorCode(error);
    return {
      message: code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${code ?? String(error)})`,
    };
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { message: 'the file is no UTF-8 text; save it in that encoding' };
  }
}
