/** The current time and zone of this machine, from which times of day without a zone are computed. */
export function fromNow(): { readonly ms: number; readonly timeZone: string } {
  return { ms: Date.now(), timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}
