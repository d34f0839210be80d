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

/** Its message names host and path only: the query of an asset's address may be its signature. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly kind: DownloadFailure;
  /** HTTP status; null where none came. */
  readonly status: number | null;

  constructor(kind: DownloadFailure, url: URL | null, what: string, status: number | null = null) {
    super(`GET ${url === null ? 'of an address' : url.host + url.pathname.slice(0, 200)} ${what}`);
    this.kind = kind;
    this.status = status;
  }
}
