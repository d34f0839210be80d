import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_PARAMETERS } from '../../contracts/gateway/models';
import { writeThroughPart } from '../../media/part-file';
import { NotMediaError, probe, type MediaInfo } from '../../media/probe';
import { fetchFile, FileUnusable, parseAddress } from '../http/fetch-file';
import { RequestRefused } from '../http/request-refused';
import type { SandboxModel } from '../sandbox-models';
import type { GivenFile } from './work';

/**
 * The value that replaces a data URI in a task's parameters, so that neither the task's record nor `/sandbox/tasks`
 * contains the bytes.
 */
const STORED_FILE_PATTERN = /^sha256:([0-9a-f]{64})$/;

const DATA_URI_PATTERN = /^data:[^,]*?(;base64)?,(.*)$/is;

/** A local file that a task may use. */
export interface ProbedFile {
  readonly path: string;
  readonly info: MediaInfo;
}

/** The files given to tasks. Bytes of data URIs are kept in a folder; addresses are fetched when the task runs. */
export interface FileValues {
  /**
   * Stores a request's data URIs and returns the parameters with `sha256:…` in place of each data URI.
   *
   * @throws RequestRefused 400 for a value that is neither an address nor a data URI, or whose bytes the model does not
   * accept.
   */
  storeDataUris(model: SandboxModel, parameters: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  /**
   * Probes a stored file, or fetches a file into `scratch` and probes it.
   *
   * @throws FileUnusable if the file cannot be fetched, or the model does not accept the file; the reason of `signal`
   *   if it is aborted.
   */
  open(file: GivenFile, scratch: string, signal: AbortSignal): Promise<ProbedFile>;
}

export async function createFileValues(folder: string): Promise<FileValues> {
  await mkdir(folder, { recursive: true });

  function storedPath(value: string): string | undefined {
    const hash = STORED_FILE_PATTERN.exec(value)?.[1];
    return hash === undefined ? undefined : join(folder, hash);
  }

  async function storeDataUri(parameter: string, value: string): Promise<string> {
    if (parseAddress(value)) return value;
    const bytes = decodeDataUri(value);
    if (!bytes) throw invalidFile(parameter, `${parameter} is neither an http(s) address nor a data URI`);
    const hash = createHash('sha256').update(bytes).digest('hex');
    await writeThroughPart(join(folder, hash), (part) => writeFile(part, bytes));
    return `sha256:${hash}`;
  }

  return {
    async storeDataUris(model, parameters) {
      const stored: Record<string, unknown> = { ...parameters };
      for (const name of Object.keys(FILE_PARAMETERS)) {
        const value = parameters[name];
        if (typeof value === 'string') stored[name] = await storeDataUri(name, value);
        if (Array.isArray(value)) {
          stored[name] = await Promise.all(value.map((item, index) => storeDataUri(`${name}.${index}`, String(item))));
        }
      }
      const work = model.work(stored);
      for (const file of work.kind === 'video' ? work.files : []) {
        const path = storedPath(file.value);
        if (path !== undefined) await inspect(file, path).catch(refuseUnusable(file));
      }
      return stored;
    },

    async open(file, scratch, signal) {
      return await inspect(file, storedPath(file.value) ?? (await fetchFile(file.value, scratch, signal)));
    },
  };
}

/** Probes a file before ffmpeg reads it, because ffmpeg would follow a playlist to other files. */
async function inspect({ parameter, kind, maxSeconds }: GivenFile, path: string): Promise<ProbedFile> {
  const info = await probe(path).catch((error: unknown) => {
    if (error instanceof NotMediaError)
      throw new FileUnusable(`${parameter} looks like ${error.looksLike}, not ${kind}.`);
    throw error;
  });
  if (info.kind !== kind) throw new FileUnusable(`${parameter} holds ${info.mediaType}, not ${kind}.`);
  const seconds = info.durationSeconds ?? 0;
  if (maxSeconds !== undefined && seconds > maxSeconds) {
    throw new FileUnusable(`${parameter} is ${seconds.toFixed(1)} s long, allowed is at most ${maxSeconds} s.`);
  }
  return { path, info };
}

function decodeDataUri(value: string): Buffer | undefined {
  const [matched, base64, data = ''] = DATA_URI_PATTERN.exec(value) ?? [];
  if (matched === undefined) return undefined;
  if (base64 !== undefined) return Buffer.from(data, 'base64');
  const escaped = data.replace(/%([0-9a-f]{2})/gi, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));
  return Buffer.from(escaped, 'latin1');
}

function refuseUnusable({ parameter }: GivenFile) {
  return (error: unknown): never => {
    throw error instanceof FileUnusable ? invalidFile(parameter, error.message) : error;
  };
}

function invalidFile(parameter: string, message: string): RequestRefused {
  return new RequestRefused(400, 'invalid_file', message, { problems: [{ parameter, message }] });
}
