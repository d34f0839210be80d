import { type FileValuePolicy } from '../../../contracts/file/file-values';
import { type FrameLink } from '../../../contracts/render/frozen';
import { knownModel } from '../../../contracts/gateway/models';
import { createLimiter } from '../../../media/limiter';
import { type ShotCheck } from './shot-check';
import { type NamedFile } from '../file-source';
import { type Finding, wrongValue } from '../../wording/finding';
import { type LookInto, notSendable, type ReadableFile, wrongKind } from '../local-files';
import { shown } from '../../wording/phrases';

/** Maximum number of files that are read at once. More would only wait for the disk. */
const FILES_AT_ONCE = 4;

/** Errors for files that cannot be read, are of the wrong kind, are too long for the model or cannot be sent. */
export async function fileFindings(
  shots: readonly ShotCheck[],
  policy: FileValuePolicy,
  lookInto: LookInto,
): Promise<readonly Finding[]> {
  const limit = createLimiter(FILES_AT_ONCE);
  const messages = shots.flatMap((shot) =>
    shot.files.map(async (file) => {
      const message = await limit(() => wrongFile(file, shot, policy, lookInto));
      return message === undefined ? [] : [wrongValue(file.place, message)];
    }),
  );
  return (await Promise.all(messages)).flat();
}

/** Errors for files that are too long for the shots' models. Other errors of files are ignored. */
export async function lengthFindings(shots: readonly ShotCheck[], lookInto: LookInto): Promise<readonly Finding[]> {
  const limit = createLimiter(FILES_AT_ONCE);
  const messages = shots.flatMap((shot) =>
    shot.files.map(async ({ source, place }) => {
      const found = source.kind === 'local' ? await limit(() => lookInto(source)) : undefined;
      if (source.kind !== 'local' || found === undefined || 'message' in found) return [];
      const message = tooLong(source.written, found, shot);
      return message === undefined ? [] : [wrongValue(place, message)];
    }),
  );
  return (await Promise.all(messages)).flat();
}

async function wrongFile(
  { source, takes }: NamedFile,
  shot: ShotCheck,
  policy: FileValuePolicy,
  lookInto: LookInto,
): Promise<string | undefined> {
  if (source.kind === 'address') return undefined;
  if (source.kind === 'link') {
    if (takes !== null && takes !== 'image')
      return `this is a picture; it must be ${takes === 'video' ? 'a video' : 'a sound'}`;
    return policy.fileValues === 'url' ? linkNotSendable(source) : undefined;
  }
  const found = await lookInto(source);
  if ('message' in found) return found.message;
  const kind = takes === null ? undefined : wrongKind(source, found.info, takes);
  return kind ?? tooLong(source.written, found, shot) ?? notSendable(source, found, policy);
}

function linkNotSendable({ frame, shot }: FrameLink): string {
  return `the ${frame === 'whole' ? 'picture' : 'frame'} of shot ${shown(shot)} will be a local file, and files are sent by address only (DAILIES_FILE_VALUES=url); set DAILIES_FILE_VALUES=auto, or remove the link`;
}

function tooLong(written: string, { info }: ReadableFile, { model, title }: ShotCheck): string | undefined {
  const max = knownModel(model?.id ?? '')?.referenceMaxSeconds ?? null;
  const { durationSeconds } = info;
  if (max === null || durationSeconds === null || durationSeconds <= max) return undefined;
  return `${shown(written)} lasts ${durationSeconds.toFixed(1)} s; ${title} takes references of at most ${max} s, so cut it`;
}
