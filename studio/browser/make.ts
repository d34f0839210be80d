export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A button with an icon that the style sheet draws. */
export function iconButton(icon: string, label: string, onClick: () => void): HTMLButtonElement {
  const button = make('button', { type: 'button', class: `icon ${icon}`, 'aria-label': label, title: label });
  button.addEventListener('click', onClick);
  return button;
}

/** Makes a button show Stop while clips play, else Play. */
export function showPlaying(button: HTMLButtonElement, isPlaying: boolean): void {
  const label = isPlaying ? 'Stop' : 'Play';
  button.classList.toggle('play', !isPlaying);
  button.classList.toggle('stop', isPlaying);
  button.setAttribute('aria-label', label);
  button.title = label;
}

/**
 * Makes a container for elements that a script adds to the server's markup. Reloads keep the container; see live.ts.
 * The elements must have no ids.
 */
export function ownControls(className: string, ...children: readonly (Node | string)[]): HTMLElement {
  const element = document.createElement('own-controls');
  element.className = className;
  element.append(...children);
  return element;
}
