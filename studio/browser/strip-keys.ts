/** The left and right arrow keys move the focus between the cards of a strip. */
document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
  const strip = target instanceof Element && target.matches('a.card') ? target.closest('.strip') : null;
  if (by === undefined || strip === null || event.altKey || event.ctrlKey || event.metaKey) return;
  const cards = [...strip.querySelectorAll<HTMLElement>('a.card')];
  const next = cards[cards.findIndex((card) => card === target) + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
});

export {};
