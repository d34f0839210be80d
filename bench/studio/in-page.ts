/** Scripts that run in a page of the studio before the page's own scripts, and record times. */

/**
 * Defines the promise `painted`: milliseconds from the navigation to the first paint that contains the element, or to
 * the first contentful paint, whichever is later. Pictures may still be missing.
 */
export function paintedScript(selector: string): string {
  return `globalThis.painted = new Promise((resolve) => {
    const first = new Promise((found) => {
      new PerformanceObserver((list) => {
        for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') found(startTime);
      }).observe({ type: 'paint', buffered: true });
    });
    const look = () => {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (element === null || element.getBoundingClientRect().height === 0) return void requestAnimationFrame(look);
      setTimeout(() => {
        const now = performance.now();
        void first.then((content) => resolve(Math.max(now, content)));
      });
    };
    requestAnimationFrame(look);
  })`;
}

/** Defines `seen`: by element id, the `Date.now()` at which each shot of a strip was first painted as completed. */
export const SEEN = `globalThis.seen = new Map();
  const begun = new Set();
  new MutationObserver(() => {
    for (const { parentElement: { id } } of document.querySelectorAll('.strip .card-completed')) {
      if (begun.has(id)) continue;
      begun.add(id);
      requestAnimationFrame(() => setTimeout(() => seen.set(id, Date.now())));
    }
  }).observe(document, { subtree: true, childList: true, attributes: true })`;
