import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { type DataConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

/**
 * Smaller payloads stay readable in Temporal's UI and for programs without this codec. The state of a production with
 * hundreds of shots comes near Temporal's limit of 2 MiB, and compresses well.
 */
const COMPRESSED_FROM_BYTES = 256 * 1024;

/**
 * Maximum size of a payload after decompression. A production with the most shots and takes has a few MiB. Without a
 * limit, 2 MiB of crafted data could decompress to 2 GiB.
 */
const DECOMPRESSED_MAX_BYTES = 64 * 1024 * 1024;

/** The encoding of the zlib codec in Temporal's Go SDK: the whole payload message, compressed. */
const ZLIB = 'binary/zlib';

/** Compresses large payloads. See docs/decisions/0038-bounded-state.md. */
const largePayloads: PayloadCodec = {
  encode: (payloads) => Promise.all(payloads.map(compressed)),
  decode: (payloads) => Promise.all(payloads.map(decompressed)),
};

/** Every client and worker must use this converter, because each reads payloads that others have written. */
export const DATA_CONVERTER: DataConverter = { payloadCodecs: [largePayloads] };

async function compressed(payload: Payload): Promise<Payload> {
  if ((payload.data?.length ?? 0) < COMPRESSED_FROM_BYTES) return payload;
  const message = temporal.api.common.v1.Payload.encode(payload).finish();
  return { metadata: { encoding: Buffer.from(ZLIB) }, data: await promisify(deflate)(message) };
}

async function decompressed(payload: Payload): Promise<Payload> {
  const { encoding } = payload.metadata ?? {};
  if (encoding == null || Buffer.from(encoding).toString() !== ZLIB || payload.data == null) return payload;
  const message = await promisify(inflate)(payload.data, { maxOutputLength: DECOMPRESSED_MAX_BYTES });
  const { metadata, data } = temporal.api.common.v1.Payload.decode(message);
  return { metadata, data };
}
