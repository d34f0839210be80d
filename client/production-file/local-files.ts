import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { dataUriBytes, type FileValuePolicy } from '../../contracts/file/file-values';
import { type FileKind } from '../../contracts/gateway/models';
import { type MediaInfo, NotMediaError, probe } from '../../media/probe';
import { errorCode } from '../../store';
import { nearestName } from '../wording/nearest-name';
import { type LocalFile } from './file-source';
import { shown } from '../wording/phrases';

export interface ReadableFile {
  readonly info: MediaInfo;
  readonly sizeBytes: number;
}

/**
 * Reads the media info and the size of a local file, or returns a message if the file cannot be used. Reads each path
 * only once.
 */
export type LookInto = (file: LocalFile) => Promise<ReadableFile | { readonly message: string }>;

const WITH_ARTICLE: Readonly<Record<FileKind, string>> = { image: 'an image', video: 'a video', audio: 'a sound' };

export function createLookInto(): LookInto {
  const seen = new Map<string, ReturnType<LookInto>>();
  return (file) => {
    const found = seen.get(file.path) ?? lookInto(file);
    seen.set(file.path, found);
    return found;
  };
}

/** A message if the file is of the wrong kind; otherwise undefined. */
export function wrongKind({ written }: LocalFile, { kind, mediaType }: MediaInfo, takes: FileKind): string | undefined {
  if (kind === takes) return undefined;
  return `${shown(written)} is ${WITH_ARTICLE[kind]} (${mediaType}); it must be ${WITH_ARTICLE[takes]}`;
}

/** A message if the local file cannot be sent; otherwise undefined. */
export function notSendable(
  { written }: LocalFile,
  { info, sizeBytes }: ReadableFile,
  policy: FileValuePolicy,
): string | undefined {
  if (policy.fileValues === 'url')
    return `${shown(written)} is a local file, and files are sent by address only (DAILIES_FILE_VALUES=url); give an http(s) address, or set DAILIES_FILE_VALUES=auto`;
  const uriBytes = dataUriBytes(info.mediaType, sizeBytes);
  if (uriBytes <= policy.dataUriMaxBytes) return undefined;
  return `${shown(written)} has ${sizeBytes} bytes (${uriBytes} as a data URI); at most ${policy.dataUriMaxBytes} are sent (DAILIES_DATA_URI_MAX_BYTES). Make it smaller, or give an http(s) address`;
}

async function lookInto(file: LocalFile): ReturnType<LookInto> {
  const name = shown(file.written);
  try {
    const { size, ...kind } = await describeEntry(file.path);
    if (kind.isFolder) return { message: `${name} is a folder; give a file` };
    if (!kind.isFile) return { message: `${name} is not a regular file; a pipe or device cannot be used` };
    if (size === 0) return { message: `${name} is an empty file; give an image, a video or a sound` };
    return { info: await probe(file.path), sizeBytes: size };
  } catch (error) {
    if (error instanceof NotMediaError)
      return { message: `${name} is not an image, video or sound; it looks like ${error.looksLike}` };
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { message: `${name} does not exist${await pathHint(file)}` };
    if (code === 'EACCES' || code === 'EPERM') return { message: `${name} may not be read; change its permissions` };
    return { message: `${name} cannot be read (${code ?? String(error)})` };
  }
}

async function describeEntry(path: string): Promise<{ isFile: boolean; isFolder: boolean; size: number }> {
  const entry = await stat(path);
  await access(path, constants.R_OK);
  return { isFile: entry.isFile(), isFolder: entry.isDirectory(), size: entry.size };
}

async function pathHint({ path, written }: LocalFile): Promise<string> {
  const siblings = await readdir(dirname(path)).catch(() => []);
  const near = nearestName(basename(path), siblings);
  if (near === undefined) return '; paths are relative to the production file';
  return `. Did you mean ${shown(written.slice(0, written.length - basename(path).length) + near)}?`;
}
