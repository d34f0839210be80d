import type { Priority } from '../gateway/arbiter';
import type { AssetRef } from '../asset';

/** Flags of the command that begins a render. They apply until that render has ended. */
export interface RenderFlags {
  /** Null: the file's number applies. */
  readonly maxInFlight: number | null;
  /** Reviews are approved automatically: the take that completes first. */
  readonly unattended: boolean;
  /** Absent: the file's priority applies. */
  readonly priority?: Priority;
}

/** What a render was derived from, beside its frozen production. A change to it starts from here. */
export interface RenderBasis extends RenderFlags {
  /** The file's plan as an asset, without flags and without changes by other commands. */
  readonly plan: AssetRef;
  /** The file's production as an asset, without directions. */
  readonly written: AssetRef;
}

/** Names a version of a production: equal if the same is rendered by the same rules. */
export function versionOf(
  production: AssetRef,
  { plan, written }: { readonly [Part in 'plan' | 'written']?: AssetRef | undefined } = {},
): string {
  return [production, plan, written].map((asset) => asset?.sha256 ?? 'unknown').join(' ');
}
