import type { FileKind } from '../contracts/models';

interface Signature {
  readonly kind: FileKind;
  readonly offset: number;
  readonly bytes: string;
}

/**
 * How files of each kind begin. ffmpeg is never shown anything else: a playlist it were handed could have it open
 * other files. Containers that hold either video or sound stand under both kinds.
 */
const SIGNATURES: readonly Signature[] = [
  { kind: 'image', offset: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { kind: 'image', offset: 0, bytes: '\xff\xd8\xff' },
  { kind: 'image', offset: 0, bytes: 'GIF8' },
  { kind: 'image', offset: 8, bytes: 'WEBP' },
  { kind: 'video', offset: 4, bytes: 'ftyp' },
  { kind: 'video', offset: 0, bytes: '\x1a\x45\xdf\xa3' },
  { kind: 'audio', offset: 4, bytes: 'ftyp' },
  { kind: 'audio', offset: 8, bytes: 'WAVE' },
  { kind: 'audio', offset: 0, bytes: 'ID3' },
  { kind: 'audio', offset: 0, bytes: '\xff\xfb' },
  { kind: 'audio', offset: 0, bytes: '\xff\xf3' },
  { kind: 'audio', offset: 0, bytes: '\xff\xf1' },
  { kind: 'audio', offset: 0, bytes: 'OggS' },
  { kind: 'audio', offset: 0, bytes: 'fLaC' },
];

/** Bytes from the start of a file that `hasSignature` needs to see. */
export const SIGNATURE_BYTES = 12;

/** Says whether a file begins as one of its kind does. */
export function hasSignature(kind: FileKind, start: Buffer): boolean {
  return SIGNATURES.some(
    (known) =>
      known.kind === kind && start.toString('latin1', known.offset, known.offset + known.bytes.length) === known.bytes,
  );
}
