import { type Redact } from './redaction';

/** Maximum length of a message, if a `Redact` is given. A host name alone may have 253 characters. */
const MESSAGE_MAX_LENGTH = 500;

/** Why an asset was not downloaded. */
export type DownloadFailure =
  /** The address is not http(s), has credentials, or is in a range that is not public. */
  | 'refused-address'
  /** A status other than 200 and 206 (see also `restart`), an unrequested 206 or encoding, or too many redirects. */
  | 'status'
  | 'network'
  /** No bytes, or too few, within the time limit. */
  | 'stalled'
  | 'too-large'
  /** The body does not have its announced length, or its connection was reset. */
  | 'truncated'
  /** The server cannot continue the bytes that the caller has. The caller must start again without a range. */
  | 'restart';

/** A failed download. The message names only the host: path and query may be all that is needed to open an asset. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly kind: DownloadFailure;
  /** HTTP status, for `status` and `restart`; null for other kinds, and after too many redirects. */
  readonly status: number | null;

  /** @param redact removes the gateway's key from the message. A gateway may put it into a host or a header. */
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
