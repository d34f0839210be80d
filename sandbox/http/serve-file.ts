import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { byteRangeOf } from '../../contracts/byte-range';
import { RequestRefused } from './request-refused';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.png': 'image/png',
};

/** Allowed task ids and file names. No separator or leading dot: a name must not lead out of the folder. */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * Answers GET and HEAD with a task's file or one range of the file; 416 for a range outside the file.
 *
 * @throws RequestRefused 404 if there is no such file.
 * Source: RFC 9110, sections 13 and 14.
 */
export async function serveFile(folder: string, taskId: string, name: string, request: Request): Promise<Response> {
  const path = join(folder, taskId, name);
  const file = SAFE_NAME.test(taskId) && SAFE_NAME.test(name) ? await stat(path).catch(() => undefined) : undefined;
  if (!file?.isFile()) throw new RequestRefused(404, 'unknown_file', `There is no file ${taskId}/${name}.`);

  const etag = `"${file.size.toString(16)}-${Math.round(file.mtimeMs).toString(16)}"`;
  const headers = new Headers({
    'accept-ranges': 'bytes',
    'content-type': MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
    etag,
    'last-modified': file.mtime.toUTCString(),
  });

  const range = request.method === 'GET' ? rangeOf(request.headers, etag, file.size) : undefined;
  if (range === 'unsatisfiable') {
    headers.set('content-range', `bytes */${file.size}`);
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  headers.set('content-length', String(end - start + 1));
  if (range) headers.set('content-range', `bytes ${start}-${end}/${file.size}`);

  const body = request.method === 'HEAD' ? null : streamOf(path, start, end);
  return new Response(body, { status: range ? 206 : 200, headers });
}

/**
 * The requested range, or `unsatisfiable`. Undefined means the whole file: no single range is requested, or If-Range
 * does not match.
 */
function rangeOf(headers: Headers, etag: string, sizeBytes: number): ReturnType<typeof byteRangeOf> {
  const ifRange = headers.get('if-range');
  return ifRange !== null && ifRange !== etag ? undefined : byteRangeOf(headers.get('range'), sizeBytes);
}

function streamOf(path: string, start: number, end: number): ReadableStream {
  return Readable.toWeb(createReadStream(path, { start, end })) as ReadableStream;
}
