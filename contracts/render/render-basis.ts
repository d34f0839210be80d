import type { Priority } from '../gateway/arbiter';
import type { AssetRef } from '../asset';

/** Flags of the command that begins a render. They apply until that render has ended. */
export interface RenderFlags {
  /** Null: the file's number applies. */
  readonly maxInFlight: number | null;
  /** Whether each review automatically approves the take that completes first. */
  readonly unattended: boolean;
  /** Absent: the file's priority applies. */
  readonly priority?: Priority;
}

/** The sources of a render, beside its frozen production. A revision of the render starts from them. */
export interface RenderBasis extends RenderFlags {
  /** The file's plan as an asset, without flags and without changes by other commands. */
  readonly plan: AssetRef;
  /** The file's production as an asset, without directions. */
  readonly written: AssetRef;
}

/** Names a version of a production. Two names are equal if the same requests are rendered by the same rules. */
export function versionOf(
  production: AssetRef,
  { plan, written }: { readonly [Part in 'plan' | 'written']?: AssetRef | undefined } = {},
): string {
  return [production, plan, written].map((asset) => asset?.sha256 ?? 'unknown').join(' ');
}
