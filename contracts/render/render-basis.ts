import type { Priority } from '../gateway/arbiter';
import type { AssetRef } from '../asset';

/** Flags of the command that begins a render. They apply until that render has ended. */
export interface RenderFlags {
  /** Null: the number in the production file applies. */
  readonly maxInFlight: number | null;
  /** Whether each review automatically approves the take that completes first. */
  readonly unattended: boolean;
  /** Absent: the priority in the production file applies. */
  readonly priority?: Priority;
}

/** The sources of a render, in addition to its frozen production. A revision of the render starts from them. */
export interface RenderBasis extends RenderFlags {
  /** The file's plan with directions applied, as an asset, without flags and budgets given by commands. */
  readonly plan: AssetRef;
  /** The production from the file, as an asset, without changes by people or by the file's fallback. */
  readonly written: AssetRef;
}

/** Names a version of a production. Two names are equal if the same requests are rendered by the same rules. */
export function versionOf(
  production: AssetRef,
  { plan, written }: { readonly [Part in 'plan' | 'written']?: AssetRef | undefined } = {},
): string {
  return [production, plan, written].map((asset) => asset?.sha256 ?? 'unknown').join(' ');
}
