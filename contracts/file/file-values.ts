/** How file values are sent. The gateway specification does not show their format. */
export interface FileValuePolicy {
  readonly fileValues: 'auto' | 'url' | 'data';
  /** Maximum length of a data URI that is sent, in bytes of the URI itself. */
  readonly dataUriMaxBytes: number;
}

export function dataUriBytes(mediaType: string, sizeBytes: number): number {
  return `data:${mediaType};base64,`.length + Math.ceil(sizeBytes / 3) * 4;
}
