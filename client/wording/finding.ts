/** Keys and indexes from the top of a production, batch or task down to a value. */
export type Path = readonly (string | number)[];

/** An error in a production, batch or task, not yet assigned to a line or flag. */
export interface Finding {
  readonly path: Path;
  /** Whether the key or its value is wrong. */
  readonly at: 'key' | 'value';
  readonly message: string;
}

export function wrongValue(path: Path, message: string): Finding {
  return { path, at: 'value', message };
}

export function wrongKey(path: Path, message: string): Finding {
  return { path, at: 'key', message };
}
