import { html, type Html } from './html';

/** A picture that loads when it comes into view; null if there is no file. */
export function picture(file: string | null, text: string): Html | null {
  return file === null ? null : html`<img src="${url(file)}" alt="${text}" loading="lazy" />`;
}

/** An attribute that names a file, such as `poster`; null if there is no file. */
export function fileAttribute(name: string, file: string | null): Html | null {
  return file === null ? null : html` ${name}="${url(file)}"`;
}

/** The URL of a file relative to the page. Each part of the path is percent-encoded. */
export function url(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}
