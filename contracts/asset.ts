import { z } from 'zod';

/** SHA-256 in lower-case hexadecimal. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * Bytes in the store, named by their hash.
 *
 * `durationSeconds`, `width` and `height` are null if they do not apply, for example to text.
 */
export const AssetRef = z.strictObject({
  sha256: Sha256,
  sizeBytes: z.int().nonnegative(),
  /** Media: probed from the bytes. Text, JSON and archives: fixed by Dailies. Never taken from a server's header. */
  mediaType: z.string(),
  durationSeconds: z.number().nonnegative().nullable(),
  width: z.int().positive().nullable(),
  height: z.int().positive().nullable(),
});
export type AssetRef = z.infer<typeof AssetRef>;

/** Origin of a take's frame: `gateway` if the gateway returned it, `clip` if it was cut from the stored clip. */
export const FrameSource = z.enum(['gateway', 'clip']);
export type FrameSource = z.infer<typeof FrameSource>;

/** A frame of a take that a link can use. */
export const TakeFrame = z.strictObject({ asset: AssetRef, source: FrameSource });
export type TakeFrame = z.infer<typeof TakeFrame>;
