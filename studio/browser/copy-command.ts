/**
 * Buttons that copy the command beside them. Browsers offer `navigator.clipboard` only for HTTPS and local addresses.
 * Without a clipboard, or if the browser refuses to write to it, the command is selected instead.
 */
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('button[data-copy]') : null;
  if (button === null) return;
  // The DOM's types declare the clipboard as always present.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  const select = (): void => {
    const command = button.previousElementSibling;
    if (command !== null) getSelection()?.selectAllChildren(command);
  };
  if (clipboard === undefined) {
    select();
    return;
  }
  clipboard.writeText(button.dataset['copy'] ?? '').then(() => {
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  }, select);
});

export {};
