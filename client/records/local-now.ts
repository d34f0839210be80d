/** The current time and zone of this machine. Times of day without a zone are in this zone. */
export function localNow(): { readonly ms: number; readonly timeZone: string } {
  return { ms: Date.now(), timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}
