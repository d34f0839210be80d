/**
 * The id that Dailies gives the task of a sending if the execute's answer has no id. The gateway does not know this id.
 */
export function ownTaskId(takeKey: string, sending: number): string {
  return `${prefixOf(takeKey)}-${sending}`;
}

/** True if Dailies made this id. In older stores the id does not contain the number of the sending. */
export function isOwnTaskId(takeKey: string, taskId: string): boolean {
  const prefix = prefixOf(takeKey);
  return taskId === prefix || (taskId.startsWith(`${prefix}-`) && /^\d+$/.test(taskId.slice(prefix.length + 1)));
}

function prefixOf(takeKey: string): string {
  return `execute-${takeKey.slice(0, 16)}`;
}
