/**
 * Words by which gateways refuse what was asked for. The specification shows no body of a failed task, so this reads
 * what there is; a refusal that it does not know costs one further take.
 */
const CONTENT_WORDS =
  /content|polic(y|ies)|moderat|safety|nsfw|inappropriate|sensitive|prohibited|forbidden|copyright|likeness|rejected|blocked/i;

/** Whether a task failed for what it was asked to show: another take would fail alike, and may be charged alike. */
export function isContentRefusal(reason: string): boolean {
  return CONTENT_WORDS.test(reason);
}
