/**
 * Words with which gateways refuse the content of a request.
 *
 * The gateway's specification shows no body of a failed task, so these words in the task's message decide. A refusal
 * without any of them leads to further takes, as many as the file allows.
 */
const CONTENT_WORDS =
  /content|polic(y|ies)|moderat|safety|nsfw|inappropriate|sensitive|prohibited|forbidden|copyright|likeness|rejected|blocked/i;

/** Whether a task failed because of its content. If so, another take would fail too, and might be charged. */
export function isContentRefusal(reason: string): boolean {
  return CONTENT_WORDS.test(reason);
}
