/** Where this machine's clock stands: what a time of day without a zone is worked out from. */
export function fromNow(): { readonly ms: number; readonly timeZone: string } {
  return { ms: Date.now(), timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}
