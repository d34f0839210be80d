/** The id, of our own making, of a task whose execute told none: one for each sending. Nothing can be read by it. */
export function ownTaskId(takeKey: string, sending: number): string {
  return `${prefixOf(takeKey)}-${sending}`;
}

/** Whether an id is of our own making; older stores have it without the number of the sending. */
export function isOwnTaskId(takeKey: string, taskId: string): boolean {
  const prefix = prefixOf(takeKey);
  return taskId === prefix || (taskId.startsWith(`${prefix}-`) && /^\d+$/.test(taskId.slice(prefix.length + 1)));
}

function prefixOf(takeKey: string): string {
  return `execute-${takeKey.slice(0, 16)}`;
}
