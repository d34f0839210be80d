/** Buttons that copy the command beside them. */
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('button[data-copy]') : null;
  if (button === null) return;
  void navigator.clipboard.writeText(button.dataset['copy'] ?? '').then(() => {
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
});

export {};
