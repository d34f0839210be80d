/**
 * Buttons that copy the command beside them. Without `navigator.clipboard`, which browsers offer on HTTPS and on this
 * machine only, the command is selected instead.
 */
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('button[data-copy]') : null;
  if (button === null) return;
  // The type says that the clipboard is always there.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  const command = button.previousElementSibling;
  if (clipboard === undefined) {
    if (command !== null) getSelection()?.selectAllChildren(command);
    return;
  }
  void clipboard.writeText(button.dataset['copy'] ?? '').then(() => {
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
});

export {};
