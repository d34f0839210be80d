import { html, type Html } from './html';

/** A picture that loads when it comes into view; nothing where there is no file. */
export function picture(file: string | null, text: string): Html | null {
  return file === null ? null : html`<img src="${url(file)}" alt="${text}" loading="lazy" />`;
}

/** An attribute that names a file, as `poster`; nothing where there is none. */
export function fileAttribute(name: string, file: string | null): Html | null {
  return file === null ? null : html` ${name}="${url(file)}"`;
}

/** A relative address of a file beside the page, whatever characters its name has. */
export function url(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}
