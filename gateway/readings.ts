import { TASK_STATES, type TaskState } from '../contracts/gateway/wire';

/**
 * Reads the parts of answers whose form the gateway specification leaves open. Lenient and pure. No other module reads
 * these parts.
 */

/** A JSON object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** The result of a completed task. Addresses may be signed and expire, so download at once. */
export interface TaskResultReading {
  readonly url: string | null;
  /** All files without duplicates; `url` first, if present. */
  readonly files: readonly ResultFile[];
  /** Null if the answer has no clear last frame. The frame must then be cut from the clip. */
  readonly lastFrameUrl: string | null;
  readonly text: string | null;
  readonly model: string | null;
  /** The whole result as it came, since the specification does not describe the results of all models. */
  readonly raw: Record<string, unknown>;
}

/** A file of a completed task. */
export interface ResultFile {
  readonly url: string;
  /** Decided by the type that the gateway states, else by the file's extension. */
  readonly isImage: boolean;
  /** Decided as for `isImage`. */
  readonly isSound: boolean;
  /** True for a cover or a last frame beside the requested file. */
  readonly isBeside: boolean;
}

/**
 * The state that a task status names. Accepts any letter case, and spaces or hyphens as underscores. Undefined if the
 * specification does not name the status.
 */
export function readTaskState(status: string): TaskState | undefined {
  const name = status
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');
  return TASK_STATES.find((state) => state === name);
}

/** An id as text, from a non-empty string or an integer; null for anything else. */
export function readId(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return Number.isSafeInteger(value) ? String(value) : null;
}

/**
 * Reads `usage.credits`, a number or a decimal text. Null if it is missing, unreadable or negative: a negative charge
 * would add to the budget. Null does not mean free.
 */
export function readCredits(response: Fields): number | null {
  const credits = asFields(response['usage'])['credits'];
  // Number() also accepts empty and hexadecimal texts.
  const isDecimal = typeof credits === 'string' && /^[\d\s.e+-]+$/i.test(credits) && credits.trim() !== '';
  const number = isDecimal ? Number(credits) : credits;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

/** The result of a completed task. The task is completed even if there is no address or text. */
export function readResult(response: Fields): TaskResultReading {
  const result = asFields(response['result']);
  return {
    url: asText(result['url']),
    files: readFiles(result),
    lastFrameUrl: findLastFrame(response, result),
    text: asText(result['text']),
    model: asText(result['model']),
    raw: { ...result },
  };
}

/** Code and message of a FAILED task, in full, from the first of the usual places that has either. */
export function readFailure(envelope: Fields, response: Fields): { code: string | null; message: string | null } {
  const result = asFields(response['result']);
  const places = [
    response['error'],
    response['failure'],
    result['error'],
    result,
    response,
    envelope['error'],
    envelope,
  ];
  for (const place of places) {
    const fields = asFields(place);
    const code = firstOf(fields, ['code', 'errorCode', 'error_code']);
    const message =
      typeof place === 'string'
        ? place
        : firstOf(fields, ['message', 'errorMessage', 'error_message', 'reason', 'detail', 'description']);
    if (code !== null || message) return { code, message: message || null };
  }
  return { code: null, message: null };
}

/** An object's fields; an empty object for anything else. */
export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The items of a result. An item may be a string with an address. */
function itemsOf(result: Fields): readonly Fields[] {
  return asList(result['items']).map((item) => (typeof item === 'string' ? { url: item } : asFields(item)));
}

/** The files of a result: its own address and its items. */
function readFiles(result: Fields): readonly ResultFile[] {
  const files = [result, ...itemsOf(result)].flatMap((item) => {
    const url = asText(item['url']);
    const isBeside = BESIDE_WORD.test(roleOf(item));
    return url === null ? [] : [{ url, isImage: isImage(item), isSound: isSound(item), isBeside }];
  });
  const urls = new Set<string>();
  return files.filter(({ url }) => {
    if (urls.has(url)) return false;
    urls.add(url);
    return true;
  });
}

/**
 * Looks for a last frame by its field name in the result, its items and the response; else for an image beside a clip.
 */
function findLastFrame(response: Fields, result: Fields): string | null {
  const items = asList(result['items']).map(asFields);
  for (const place of [result, ...items, response]) {
    const named = Object.entries(place).find(([name]) => LAST_FRAME_NAME.test(name));
    const url = named === undefined ? null : readAddress(named[1]);
    if (url !== null) return url;
  }
  const isClip = (item: Fields): boolean => !isImage(item) && readAddress(item['url']) !== null;
  if (![...itemsOf(result), result].some(isClip)) return null;
  const images = items.filter(isImage);
  const named = images.find((item) => LAST_FRAME_WORD.test(wordsOf(item)));
  // Do not guess among several images, and ignore covers: a wrong frame is worse than a frame that must be cut.
  const [only, ...others] = images.filter((item) => !COVER_WORD.test(wordsOf(item)));
  return readAddress((named ?? (others.length === 0 ? only : undefined))?.['url']);
}

const LAST_FRAME_NAME = /^last[_-]?frame(?:[_-]?image)?(?:[_-]?url)?s?$/i;
const LAST_FRAME_WORD = /last[ _-]?frame/i;
const COVER_WORD = /cover|thumb|poster|preview|first[ _-]?frame/i;
const BESIDE_WORD = new RegExp(`${LAST_FRAME_WORD.source}|${COVER_WORD.source}`, 'i');

/**
 * The texts in an item's fields, and its file name. Leaves out addresses, since a clip may name its cover's address.
 * Leaves out prompts and captions, since a prompt may ask for a poster.
 */
function roleOf(item: Fields): string {
  const said = Object.entries(item).flatMap(([name, value]) =>
    typeof value === 'string' && !/^(https?|data):/i.test(value) && !/prompt|caption|text/i.test(name) ? [value] : [],
  );
  return [...said, fileNameOf(item)].join(' ');
}

/** All fields of an item, with its file name in place of its address. */
function wordsOf(item: Fields): string {
  return JSON.stringify({ ...item, url: fileNameOf(item) });
}

function fileNameOf(item: Fields): string {
  return /[^/]*$/.exec((asText(item['url']) ?? '').replace(/[?#].*$/s, ''))?.[0] ?? '';
}

/** Decides by the item's type, else by the file's extension. */
function isImage(item: Fields): boolean {
  const said = statedType(item);
  if (said !== null) return /^image\b|^(png|jpe?g|webp)$/i.test(said) || LAST_FRAME_WORD.test(said);
  return /\.(png|jpe?g|webp|avif)$/i.test(fileNameOf(item));
}

function isSound(item: Fields): boolean {
  const said = statedType(item);
  if (said !== null) return /^(audio|sound|music)\b|^(mp3|wav|m4a|aac|ogg|opus|flac)$/i.test(said);
  return /\.(mp3|wav|m4a|aac|ogg|opus|flac)$/i.test(fileNameOf(item));
}

function statedType(item: Fields): string | null {
  return firstOf(item, ['mediaType', 'mimeType', 'contentType', 'content_type', 'mime_type', 'type', 'kind']);
}

/** Accepts a string, an object with `url`, or a list that starts with either. http(s) only. */
function readAddress(value: unknown): string | null {
  const first = Array.isArray(value) ? (value as unknown[])[0] : value;
  const url = asText(first) ?? asText(asFields(first)['url']);
  return url !== null && /^https?:\/\//i.test(url) ? url : null;
}

function firstOf(fields: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return null;
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
