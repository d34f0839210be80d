import type { Priority } from './arbiter';
import type { AssetRef } from './asset';

/** What the command that begins a render says beside the file. It holds until that render has ended, and no longer. */
export interface RenderFlags {
  /** Null where the file's number counts. */
  readonly maxInFlight: number | null;
  /** Nobody is there to review: what completes first is approved. */
  readonly unattended: boolean;
  /** Absent where the file's counts. */
  readonly priority?: Priority;
}

/** What a render was worked out from, beside its frozen production: who changes it begins with this. */
export interface RenderBasis extends RenderFlags {
  /** The plan as the file has it, as an asset: without the flags, and without what was said by another command. */
  readonly plan: AssetRef;
  /** The production as the file has it, without directions, as an asset. */
  readonly written: AssetRef;
}

/** Names a version of a production: equal where the same is rendered by the same rules. */
export function versionOf(
  production: AssetRef,
  { plan, written }: { readonly [Part in 'plan' | 'written']?: AssetRef | undefined } = {},
): string {
  return [production, plan, written].map((asset) => asset?.sha256 ?? 'unknown').join(' ');
}
