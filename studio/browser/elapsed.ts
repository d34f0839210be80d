/** Keeps elapsed times counting between two reloads of the page. */

const since = new WeakMap<Element, { readonly atMs: number; readonly seconds: number }>();

function tick(): void {
  for (const element of document.querySelectorAll('[data-runs="true"]')) {
    const seconds = Number(element.getAttribute('data-seconds'));
    const known = since.get(element);
    const start = known?.seconds === seconds ? known : { atMs: Date.now(), seconds };
    if (start !== known) since.set(element, start);
    element.textContent = inTime(seconds + (Date.now() - start.atMs) / 1000);
  }
}

/** `1:05` for 65 seconds. */
export function inTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`;
}

setInterval(tick, 1000);
