/** Figures, formatted for people. */

/** `0:07`, as in a video player. */
export function clock(seconds: number): string {
  const wholeSeconds = Math.floor(seconds);
  return `${Math.floor(wholeSeconds / 60)}:${String(wholeSeconds % 60).padStart(2, '0')}`;
}

export function length(seconds: number): string {
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${clock(seconds)} min`;
}

export function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}

export function inCredits(credits: number): string {
  return `${number(credits)} ${credits === 1 ? 'credit' : 'credits'}`;
}
