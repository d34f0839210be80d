import { randomBytes } from 'node:crypto';
import { type Page } from './page';

/** A page that answers a form, for example with a plan. */
export interface AnswerPage {
  readonly markup: string;
  readonly status: NonNullable<Page['status']>;
}

/**
 * Keeps the newest answer pages, each at an address to which the browser is redirected. If the page were the response
 * to the form itself, Back and Forward would ask the person to send the form again.
 */
export interface AnswerPages {
  /** @returns the path of the page. */
  keep(page: AnswerPage): string;
  /** Drops the pages with this form token, because the action that they offer was carried out. */
  drop(token: string): void;
  /** Undefined if the page is not kept any more. */
  find(id: string): AnswerPage | undefined;
}

export const ANSWER_PATH = '/answers';

/**
 * Maximum number of kept pages, and of their characters in all. The newest page is kept even if it is longer. A page
 * that shows a typical production file has 100,000 characters.
 */
const KEPT = 50;
const KEPT_CHARACTERS = 10_000_000;

export function createAnswerPages(): AnswerPages {
  const pages = new Map<string, AnswerPage>();
  return {
    keep(page) {
      const id = randomBytes(12).toString('base64url');
      pages.set(id, page);
      let characters = [...pages.values()].reduce((sum, { markup }) => sum + markup.length, 0);
      for (const [oldest, { markup }] of pages) {
        if (oldest === id || (pages.size <= KEPT && characters <= KEPT_CHARACTERS)) break;
        pages.delete(oldest);
        characters -= markup.length;
      }
      return `${ANSWER_PATH}/${id}`;
    },
    drop(token) {
      for (const [id, { markup }] of pages) if (markup.includes(token)) pages.delete(id);
    },
    find: (id) => pages.get(id),
  };
}
