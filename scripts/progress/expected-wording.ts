import { type ManifestExpected } from '../../contracts/manifest';

/** Below this the estimate is "a few seconds": no person plans by less. */
const SOON_SECONDS = 10;

/** Below this the estimate is in seconds. */
const SECONDS_BELOW = 90;

const HOURS_FROM = 120 * 60;

/** The expected remaining time, such as `about 6 min (4 to 9)`. */
export function expectedInWords({ at, earliest, latest, waitsThen }: ManifestExpected, nowMs: number): string {
  const [low, middle, high] = [earliest, at, latest].map((time) => Math.max(0, (Date.parse(time) - nowMs) / 1_000)) as [
    number,
    number,
    number,
  ];
  const then = waitsThen ? ' until it waits for you' : ' to go';
  if (high < SOON_SECONDS) return `a few seconds${then}`;
  const { unit, seconds, step } = unitOf(high);
  const rounded = (value: number): number => Math.max(step, Math.round(value / seconds / step) * step);
  const [from, about, to] = [rounded(low), rounded(middle), rounded(high)];
  return `about ${about} ${unit}${from === to ? '' : ` (${from} to ${to})`}${then}`;
}

function unitOf(seconds: number): { readonly unit: string; readonly seconds: number; readonly step: number } {
  if (seconds < SECONDS_BELOW) return { unit: 's', seconds: 1, step: 5 };
  if (seconds < HOURS_FROM) return { unit: 'min', seconds: 60, step: 1 };
  return { unit: 'h', seconds: 3_600, step: 0.5 };
}

/**
 * Whether the expected end has to be printed again: it has left the range that was printed, or was not printed yet.
 * False if only seconds remain.
 */
export function isOffTold(told: ManifestExpected | null, now: ManifestExpected | null, nowMs: number): boolean {
  if (now === null || Date.parse(now.latest) - nowMs < SOON_SECONDS * 1_000) return false;
  return told === null || now.at < told.earliest || now.at > told.latest || now.waitsThen !== told.waitsThen;
}
