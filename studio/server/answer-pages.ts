import { randomBytes } from 'node:crypto';

/** A page that answered a form, such as a plan. */
export interface AnswerPage {
  readonly markup: string;
  readonly status: 200 | 404 | 409 | 413 | 422;
}

/**
 * Keeps the newest answer pages under addresses of their own. A browser is redirected to such an address: if it came by
 * the form itself, Back and Forward would ask the person to send the form again.
 */
export interface AnswerPages {
  /** @returns the path of the page. */
  keep(page: AnswerPage): string;
  /** Undefined if the page was dropped. */
  find(id: string): AnswerPage | undefined;
}

export const ANSWER_PATH = '/answers';

/** Number of kept pages. A page with a production file has some 100 KB. */
const KEPT = 50;

export function createAnswerPages(): AnswerPages {
  const pages = new Map<string, AnswerPage>();
  return {
    keep(page) {
      const id = randomBytes(12).toString('base64url');
      pages.set(id, page);
      const [oldest] = pages.keys();
      if (pages.size > KEPT && oldest !== undefined) pages.delete(oldest);
      return `${ANSWER_PATH}/${id}`;
    },
    find: (id) => pages.get(id),
  };
}
