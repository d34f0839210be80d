import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** More layers than any server or proxy puts around an answer. */
const MAX_LAYERS = 3;

/** Like browsers: what a stream without its proper end holds is read, and whoever parses it sees whether it is whole. */
const ZLIB = { finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

/**
 * Decodes an answer's body: servers and proxies compress what nobody asked them to, and it may hold a task id.
 *
 * @returns at most one byte more than `maxBytes`, however much it unpacks to.
 * @throws RangeError for a coding that is not known; zlib's errors for a body that is not in the coding named.
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
      // Some servers leave out the zlib header, whose low four bits are always 8.
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB);
    case 'br':
      return createBrotliDecompress(BROTLI);
    default:
      throw new RangeError(`the coding ${coding} is not known`);
  }
}

/** Stops as soon as there is too much: some kilobytes may unpack to gigabytes. */
async function unpack(bytes: Buffer, decoder: Transform, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // Errors reach the loop below by the decoder itself.
  const source = pipeline(Readable.from([bytes]), decoder, () => undefined);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes + 1);
}
