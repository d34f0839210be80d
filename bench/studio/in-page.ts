/** Scripts that run in a page of the studio before its own, and note times there. */

/**
 * `painted`: milliseconds from the navigation until the frame is painted that has the element, or the first frame with
 * content if that is later. Pictures may still be missing.
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

/** `seen`: when each shot of a strip was first painted as completed, by the clock, by its element's id. */
export const SEEN = `globalThis.seen = new Map();
  const begun = new Set();
  new MutationObserver(() => {
    for (const { parentElement: { id } } of document.querySelectorAll('.strip .card-completed')) {
      if (begun.has(id)) continue;
      begun.add(id);
      requestAnimationFrame(() => setTimeout(() => seen.set(id, Date.now())));
    }
  }).observe(document, { subtree: true, childList: true, attributes: true })`;
