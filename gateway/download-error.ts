import { type Redact } from './redaction';

/** A host may have 253 characters. */
const MESSAGE_MAX_LENGTH = 500;

/** Why an asset did not arrive. */
export type DownloadFailure =
  /** Not http(s), with credentials, or in a range that is not public. */
  | 'refused-address'
  /** Answered with a status that carries no asset, or redirected too often. */
  | 'status'
  | 'network'
  /** No byte within the limit. */
  | 'stalled'
  | 'too-large'
  /** Ended before its announced length. */
  | 'truncated'
  /** What the server would go on with is not what was begun: start over without a range. */
  | 'restart';

/** Its message names the host only: path and query of an asset's address may be all that opens it. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly kind: DownloadFailure;
  /** HTTP status; null where none came. */
  readonly status: number | null;

  /** @param redact takes the gateway's key out of the message: a gateway may put it into a host or a header. */
  constructor(
    kind: DownloadFailure,
    url: URL | null,
    what: string,
    { status = null, redact = (text) => text }: { readonly status?: number | null; readonly redact?: Redact } = {},
  ) {
    super(redact(`GET from ${url?.host ?? 'an address'} ${what}`, MESSAGE_MAX_LENGTH));
    this.kind = kind;
    this.status = status;
  }
}
