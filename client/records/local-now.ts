/** The current time and time zone of this machine. Scheduled runs use the schedule's time and zone instead. */
export function localNow(): { readonly ms: number; readonly timeZone: string } {
  return { ms: Date.now(), timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}
