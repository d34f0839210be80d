import { html, type Html } from './html';

/** A picture that loads when it comes into view; null if there is no file. */
export function picture(file: string | null, text: string): Html | null {
  return file === null ? null : html`<img src="${url(file)}" alt="${text}" loading="lazy" />`;
}

/** An attribute that names a file, such as `poster`; null if there is no file. */
export function fileAttribute(name: string, file: string | null): Html | null {
  return file === null ? null : html` ${name}="${url(file)}"`;
}

/** The relative address of a file beside the page, with all characters of its name encoded. */
export function url(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}
