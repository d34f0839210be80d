import { type AssetRef } from '../../contracts/asset';

/**
 * Names of the files in an out folder, as relative paths with slashes. Functions throw RangeError for an unsafe name.
 */

export const MANIFEST_NAME = 'manifest.json';
export const SHEET_NAME = 'index.html';
export const RESULTS_NAME = 'results.jsonl';
export const RESULTS_TABLE_NAME = 'results.csv';

/** The film's name if the production gives none. */
const FILM_NAME = 'film.mp4';

/** Extensions by media type. Other types get `bin`. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/x-matroska': 'mkv',
};

/** A safe path segment, with letters of any alphabet: not hidden, and never outside the folder. */
const SAFE_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,120}$/u;

export function filmName(name: string = FILM_NAME): string {
  return safe(name);
}

export function takeName(shotId: string, take: number, asset: Pick<AssetRef, 'mediaType'>): string {
  return `takes/${safe(shotId)}-take-${take}.${extension(asset)}`;
}

/** A row's file: the output of its take, or the film of its production. */
export function rowName(key: string, take: number | null, asset: AssetRef): string {
  return `${safe(key)}${take === null ? '' : `-take-${take}`}.${extension(asset)}`;
}

/** The folder for the takes of a row whose production makes no film. */
export function rowFolder(key: string): string {
  return safe(key);
}

/** The name of a take in a row's folder. */
export function rowTakeName(key: string, shotId: string, take: number, asset: Pick<AssetRef, 'mediaType'>): string {
  return `${rowFolder(key)}/${safe(shotId)}-take-${take}.${extension(asset)}`;
}

export function frameName(shotId: string, take: number, frame: 'first' | 'last', asset: AssetRef): string {
  return `frames/${safe(shotId)}-take-${take}-${frame}.${extension(asset)}`;
}

function extension({ mediaType }: Pick<AssetRef, 'mediaType'>): string {
  return EXTENSIONS[mediaType] ?? 'bin';
}

function safe(name: string): string {
  if (!SAFE_NAME.test(name)) throw new RangeError(`${JSON.stringify(name)} cannot be the name of a file`);
  return name;
}
