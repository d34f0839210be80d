import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Refused } from '../../client/wording/refused';

export interface Outcome {
  /** Tells the person what was done. */
  readonly done: string;
  /** Path of the page to show next. */
  readonly to: string;
}

/** One-time tokens of forms, each for one path. */
export interface FormTokens {
  /** A new token for a form that posts to the path. */
  issue(path: string): string;
  /**
   * Runs the action. If the token was used before, returns the outcome of its first action instead, and waits if that
   * action is still running. Rejects a used token with Refused if it was used with other fields, or if a later action
   * has led to the same page.
   *
   * @returns undefined if the token is for another path or not from this studio.
   */
  once<T>(form: SentForm, action: () => Promise<Outcome | T>): Promise<Outcome | T> | undefined;
  /**
   * The `done` text of the action with this nonce; undefined if no such action has succeeded, or if a later action has
   * led to the same page.
   */
  doneOf(nonce: string): string | undefined;
}

export interface SentForm {
  readonly token: string;
  readonly path: string;
  /** Identifies the form's fields. */
  readonly fingerprint: string;
}

interface UsedToken {
  readonly fingerprint: string;
  readonly outcome: Promise<unknown>;
  /** Undefined while the action is running, and if it failed. */
  result?: Outcome;
}

/**
 * Used tokens are kept while the studio runs, even if the action failed; otherwise they could be used again. A token
 * whose action returned a page, such as a plan, is dropped and can be used again: nothing was paid for, and pages are
 * large.
 */
export function createFormTokens(): FormTokens {
  const key = randomBytes(32);
  const used = new Map<string, UsedToken>();
  /** The newest outcome by the path that it leads to. */
  const newest = new Map<string, Outcome>();
  const sign = (nonce: string, path: string): Buffer => createHmac('sha256', key).update(`${nonce} ${path}`).digest();

  return {
    issue(path) {
      const nonce = randomBytes(12).toString('base64url');
      return `${nonce}.${sign(nonce, path).toString('base64url')}`;
    },
    once<T>({ token, path, fingerprint }: SentForm, action: () => Promise<Outcome | T>) {
      const [nonce = '', signature = ''] = token.split('.');
      const given = Buffer.from(signature, 'base64url');
      const wanted = sign(nonce, path);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
      const known = used.get(nonce);
      if (known !== undefined) {
        const isNewest = known.result === undefined || newest.get(known.result.to) === known.result;
        if (known.fingerprint !== fingerprint || !isNewest) return Promise.reject(new Refused(SENT_BEFORE));
        return known.outcome as Promise<Outcome | T>;
      }
      const outcome = action().then((result) => {
        if (!isOutcome(result)) {
          used.delete(nonce);
          return result;
        }
        entry.result = result;
        newest.set(result.to, result);
        return withNonce(result, nonce);
      });
      const entry: UsedToken = { fingerprint, outcome };
      used.set(nonce, entry);
      return outcome;
    },
    doneOf(nonce) {
      const result = used.get(nonce)?.result;
      return result !== undefined && newest.get(result.to) === result ? result.done : undefined;
    },
  };
}

const SENT_BEFORE =
  'This form was sent before. Nothing has happened this time. Load the page again to see the present state.';

export function isOutcome(result: unknown): result is Outcome {
  return typeof result === 'object' && result !== null && 'done' in result && 'to' in result;
}

/** Adds the nonce, by which the next page finds the outcome's text. */
function withNonce({ done, to }: Outcome, nonce: string): Outcome {
  return { done, to: `${to}${to.includes('?') ? '&' : '?'}done=${nonce}` };
}
