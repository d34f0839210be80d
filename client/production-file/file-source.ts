import { resolve } from 'node:path';
import { z } from 'zod';
import { wholeLink } from '../../contracts/file/frame-links';
import { type FrameLink } from '../../contracts/render/frozen';
import { type FileKind } from '../../contracts/gateway/models';
import { FileValue, FrameLinkValue, MarkedFile } from '../../contracts/file/production-parameters';
import { type Finding, type Path, wrongValue } from '../wording/finding';
import { fileKind, type ShotModel } from './shot-model';
import { shown } from '../wording/phrases';

/** A file on this machine, with its absolute path. */
export interface LocalFile {
  readonly kind: 'local';
  readonly path: string;
  /** The path as the person wrote it. */
  readonly written: string;
}

/** The source of a file parameter's bytes, before local files are put into the store. */
export type CheckedFile = LocalFile | FrameLink | { readonly kind: 'address'; readonly url: string };

/** A file of a shot, with the parameter that takes it. */
export interface NamedFile {
  readonly parameter: string;
  /** Path of the value in the shot. */
  readonly path: Path;
  readonly source: CheckedFile;
  /** The kind of file that the parameter takes; null if unknown. */
  readonly takes: FileKind | null;
}

/** Values that are files under any parameter name. */
const RecognizableFile = z.union([MarkedFile, FrameLinkValue]);

/** `https:` and similar. A single letter does not match, because it is a Windows drive. */
const SCHEME = /^([a-z][a-z0-9+.-]+):/i;

/** Message for a still in the defaults or in a command's flags. */
const STILL_ELSEWHERE =
  '{ still: … } is allowed only in a shot of the production file; use { stillOf: shot } for a still of the production';

/** Reads a path or address as a person writes it. Returns a message if the address is not allowed. */
export function readLocation(written: string, folder: string): CheckedFile | { readonly message: string } {
  const scheme = SCHEME.exec(written)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: 'local', path: resolve(folder, written), written };
  if (scheme !== 'http' && scheme !== 'https')
    return {
      message: `${shown(withoutPassword(written))} is an address with scheme ${scheme}; give an http or https address, or a file's path`,
    };
  if (!URL.canParse(written))
    return {
      message: `${shown(withoutPassword(written))} is no valid address; give one as https://example.com/picture.png`,
    };
  const { username, password, hostname } = new URL(written);
  if (username !== '' || password !== '')
    return { message: `the address at ${hostname} has a user name or password that the gateway would see; remove it` };
  return { kind: 'address', url: written };
}

/** An address as it is shown: what may be a user name and password is left out. */
function withoutPassword(address: string): string {
  return address.replace(/^([^:]*:).*@/s, '$1//…@');
}

/**
 * The files among a shot's values. The schema check reports invalid values of known file parameters.
 *
 * @param values by parameter name.
 * @param stills ids of stills (generated pictures) by shot id. Contains only shots with exactly one still.
 */
export function filesOf(
  values: Readonly<Record<string, unknown>>,
  model: ShotModel,
  folder: string,
  stills: ReadonlyMap<string, string>,
): { readonly files: readonly NamedFile[]; readonly findings: readonly Finding[] } {
  const files: NamedFile[] = [];
  const findings: Finding[] = [];
  for (const [parameter, value] of Object.entries(values)) {
    if (!isFileParameter(parameter, value, model)) continue;
    const takes = fileKind(parameter)?.kind ?? null;
    for (const [path, one] of places(parameter, value)) {
      const parsed = (takes === null ? RecognizableFile : FileValue).safeParse(one);
      if (!parsed.success) {
        if (takes === null)
          findings.push(
            wrongValue(
              path,
              `${shown(one)} is in a list of files; it must be { file: path } or a link such as { lastFrameOf: shot }`,
            ),
          );
        continue;
      }
      const source = sourceOf(parsed.data, folder, stills);
      if ('message' in source) findings.push(wrongValue(path, source.message));
      else files.push({ parameter, path, source, takes });
    }
  }
  return { files, findings };
}

/**
 * True if a value is sent as a file: its parameter is known to take files, or the model is unknown and the value (or
 * one in its list) is a marked file or a link.
 */
export function isFileParameter(parameter: string, value: unknown, model: ShotModel): boolean {
  if (fileKind(parameter) !== undefined) return true;
  return model.known === undefined && (Array.isArray(value) ? value.some(isMarked) : isMarked(value));
}

function isMarked(value: unknown): boolean {
  return RecognizableFile.safeParse(value).success;
}

function places(parameter: string, value: unknown): readonly (readonly [Path, unknown])[] {
  return Array.isArray(value)
    ? value.map((one: unknown, index) => [[parameter, index], one] as const)
    : [[[parameter], value]];
}

function sourceOf(
  value: FileValue | z.infer<typeof MarkedFile>,
  folder: string,
  stills: ReadonlyMap<string, string>,
): CheckedFile | { readonly message: string } {
  if (typeof value === 'string') return readLocation(value, folder);
  if ('file' in value) return readLocation(value.file, folder);
  const { lastFrameOf, firstFrameOf, stillOf, parameter } = value;
  if (lastFrameOf !== undefined) return { kind: 'link', shot: lastFrameOf, frame: 'last' };
  if (firstFrameOf !== undefined) return { kind: 'link', shot: firstFrameOf, frame: 'first' };
  // `unfolded` has replaced the stills of shots by links. So this still comes from the defaults or from flags.
  if (stillOf === undefined) return { message: STILL_ELSEWHERE };
  return wholeLink(parameter === undefined ? (stills.get(stillOf) ?? stillOf) : `${stillOf}.${parameter}`);
}
