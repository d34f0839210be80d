import { z } from 'zod';

/** SHA-256 in lower-case hexadecimal. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * Bytes in the store, named by their hash.
 *
 * `durationSeconds`, `width` and `height` are null where the medium has none.
 */
export const AssetRef = z.strictObject({
  sha256: Sha256,
  sizeBytes: z.int().nonnegative(),
  /** As probed from the bytes, not as announced by a server. */
  mediaType: z.string(),
  durationSeconds: z.number().nonnegative().nullable(),
  width: z.int().positive().nullable(),
  height: z.int().positive().nullable(),
});
export type AssetRef = z.infer<typeof AssetRef>;

/** Where a frame of a take came from: handed over by the gateway, or cut from the stored clip. */
export const FrameSource = z.enum(['gateway', 'clip']);
export type FrameSource = z.infer<typeof FrameSource>;

/** The frame of a take that a link can carry on. */
export const TakeFrame = z.strictObject({ asset: AssetRef, source: FrameSource });
export type TakeFrame = z.infer<typeof TakeFrame>;
