/** A file's imports as Jest reads them from its code, and the sources of the compiled programs that it starts. */
export function extract(
  code: string,
  filePath: string,
  defaultExtract: (code: string, filePath: string) => Set<string>,
): Set<string>;
