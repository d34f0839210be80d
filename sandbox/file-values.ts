import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_PARAMETERS, type FileKind } from '../contracts/models';
import { fetchFile, parseAddress } from './fetch-file';
import { hasSignature } from './file-signature';
import { RequestRefused } from './request-refused';

/** Stands for a data URI's bytes in a task, so that neither its record nor the accountant's view holds them. */
const HELD_PATTERN = /^sha256:([0-9a-f]{64})$/;

const DATA_URI_PATTERN = /^data:([^;,]*)((?:;[^;,]+)*?)(;base64)?,(.*)$/is;

/** The files that tasks are given: data URIs are kept in a folder, addresses are read when the task needs them. */
export interface FileValues {
  /**
   * Takes a request's file values in: returns the parameters with `sha256:…` in place of each data URI.
   *
   * @throws RequestRefused 400 for a value that is neither, or whose bytes are no such file.
   */
  takeIn(parameters: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  /** Returns the path of a taken-in value's bytes; what has to be fetched is written to `scratch`. */
  open(kind: FileKind, value: string, scratch: string, signal: AbortSignal): Promise<string>;
}

export async function createFileValues(folder: string): Promise<FileValues> {
  await mkdir(folder, { recursive: true });
  const held = (hash: string) => join(folder, hash);

  async function takeInOne(parameter: string, kind: FileKind, value: string): Promise<string> {
    if (parseAddress(value)) return value;
    const bytes = decodeDataUri(value);
    if (!bytes) throw invalidFile(parameter, `is neither an http(s) address nor a data URI`);
    if (!hasSignature(kind, bytes)) throw invalidFile(parameter, `holds no ${kind} that can be read`);
    const hash = createHash('sha256').update(bytes).digest('hex');
    await writeFile(held(hash), bytes);
    return `sha256:${hash}`;
  }

  return {
    async takeIn(parameters) {
      const taken: Record<string, unknown> = { ...parameters };
      for (const [name, { kind }] of Object.entries(FILE_PARAMETERS)) {
        const value = parameters[name];
        if (typeof value === 'string') taken[name] = await takeInOne(name, kind, value);
        if (Array.isArray(value)) {
          taken[name] = await Promise.all(
            value.map((item, index) => takeInOne(`${name}.${index}`, kind, String(item))),
          );
        }
      }
      return taken;
    },

    async open(kind, value, scratch, signal) {
      const hash = HELD_PATTERN.exec(value)?.[1];
      if (hash !== undefined) return held(hash);
      return await fetchFile(kind, value, scratch, signal);
    },
  };
}

function decodeDataUri(value: string): Buffer | undefined {
  const [matched, , , base64, data = ''] = DATA_URI_PATTERN.exec(value) ?? [];
  if (matched === undefined) return undefined;
  try {
    return base64 === undefined ? Buffer.from(decodeURIComponent(data), 'latin1') : Buffer.from(data, 'base64');
  } catch {
    return undefined;
  }
}

function invalidFile(parameter: string, fault: string): RequestRefused {
  const message = `${parameter} ${fault}`;
  return new RequestRefused(400, 'invalid_file', `${message}.`, { problems: [{ parameter, message }] });
}
