import { type ManifestExpected } from '../../contracts/manifest';

/** If the latest end is nearer than this, the estimate is shown as "a few seconds". */
const SOON_SECONDS = 10;

/** If the latest end is nearer than this, the estimate is in seconds. */
const SECONDS_BELOW = 90;

/** If the latest end is nearer than this, the estimate is in minutes; otherwise it is in hours. */
const MINUTES_BELOW = 120 * 60;

/** The expected remaining time, such as `about 6 min (4 to 9) to go`. */
export function expectedInWords({ at, earliest, latest, waitsThen }: ManifestExpected, nowMs: number): string {
  const [low, middle, high] = [earliest, at, latest].map((time) => Math.max(0, (Date.parse(time) - nowMs) / 1_000)) as [
    number,
    number,
    number,
  ];
  const suffix = waitsThen ? ' until it waits for you' : ' to go';
  if (high < SOON_SECONDS) return `a few seconds${suffix}`;
  const { unit, seconds, step } = unitOf(high);
  const rounded = (value: number): number => Math.max(step, Math.round(value / seconds / step) * step);
  const [from, about, to] = [rounded(low), rounded(middle), rounded(high)];
  return `about ${about} ${unit}${from === to ? '' : ` (${from} to ${to})`}${suffix}`;
}

function unitOf(seconds: number): { readonly unit: string; readonly seconds: number; readonly step: number } {
  if (seconds < SECONDS_BELOW) return { unit: 's', seconds: 1, step: 5 };
  if (seconds < MINUTES_BELOW) return { unit: 'min', seconds: 60, step: 1 };
  return { unit: 'h', seconds: 3_600, step: 0.5 };
}

/**
 * True if a new estimate must be printed: none was printed yet, the expected end is outside the printed range, or
 * `waitsThen` has changed. False if there is no estimate, or if its latest end is nearer than `SOON_SECONDS`.
 */
export function isWorthPrinting(
  printed: ManifestExpected | null,
  now: ManifestExpected | null,
  nowMs: number,
): boolean {
  if (now === null || Date.parse(now.latest) - nowMs < SOON_SECONDS * 1_000) return false;
  return (
    printed === null || now.at < printed.earliest || now.at > printed.latest || now.waitsThen !== printed.waitsThen
  );
}
