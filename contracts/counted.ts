/** A count with its noun, such as `1 take` or `2 takes`. @param many the plural, if it is not `one` with an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
