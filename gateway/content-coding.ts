import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** Maximum number of codings. Servers usually apply one. */
const MAX_LAYERS = 3;

/**
 * As in browsers, a stream without its proper end is decoded as far as possible. The JSON parser finds out if the text
 * is incomplete.
 */
const ZLIB = { finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

/**
 * Decodes an answer's body: servers and proxies may compress it unasked, and it may hold the id of a paid task.
 *
 * @returns the decoded body, cut after `maxBytes` + 1 bytes; a body without a coding is returned unchanged.
 * @throws RangeError for an unknown coding, or for more than `MAX_LAYERS` codings; zlib's errors for a body that is not
 *   in the named coding.
 * Source: RFC 9110, section 8.4 (the last coding was applied last).
 */
export async function decodeBody(bytes: Buffer, contentEncoding: string | null, maxBytes: number): Promise<Buffer> {
  const codings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_LAYERS) throw new RangeError(`more than ${MAX_LAYERS} codings`);
  let decoded = bytes;
  for (const coding of codings.toReversed()) {
    if (decoded.length > 0) decoded = await unpack(decoded, decoderOf(coding, decoded), maxBytes);
  }
  return decoded;
}

function decoderOf(coding: string, bytes: Buffer): Transform {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(ZLIB);
    case 'deflate':
      // Some servers leave out the zlib header. The low four bits of its first byte are always 8.
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB);
    case 'br':
      return createBrotliDecompress(BROTLI);
    default:
      throw new RangeError(`the coding ${coding} is unknown`);
  }
}

/** Stops after `maxBytes`, since a few kilobytes may decode to gigabytes. */
async function unpack(bytes: Buffer, decoder: Transform, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // The callback ignores errors: the loop below receives them from the decoder.
  const source = pipeline(Readable.from([bytes]), decoder, () => undefined);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes + 1);
}
