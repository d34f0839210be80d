/** Marks a submitted form as busy, because a plan or an answer can take a second. */

addEventListener('submit', ({ defaultPrevented, target }) => {
  if (defaultPrevented || !(target instanceof HTMLFormElement)) return;
  target.setAttribute('aria-busy', 'true');
});

// The Back button may show the page as the person left it, with forms marked as busy.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy');
});

export {};
