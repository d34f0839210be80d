import { ID_PATTERN, rowProductionId } from '../../contracts/identifiers';
import { shown } from '../wording/phrases';

/** Maximum length of an id. MAINTENANCE: keep in step with ID_PATTERN. */
const MOST_CHARACTERS = 64;

/** A row's key as text; an integer becomes its digits. Undefined if the value is neither text nor an integer. */
export function writtenKey(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/**
 * Creates a check of keys, to be called once for each row. It returns an error message, or undefined for a valid key.
 *
 * Keys must be unique regardless of case, because they become folder names and some file systems ignore case.
 */
export function openKeyCheck(batchId: string): (key: string, row: number, isProduction: boolean) => string | undefined {
  const firsts = new Map<string, { readonly key: string; readonly row: number }>();
  return (key, row, isProduction) => {
    const id = isProduction ? rowProductionId(batchId, key) : key;
    if (id.length > MOST_CHARACTERS) {
      const room = MOST_CHARACTERS - (id.length - key.length);
      const why = isProduction ? `, since its production has the id ${shown(id)}` : '';
      return `the key has ${key.length} characters; it may have at most ${room}${why}`;
    }
    if (!ID_PATTERN.test(key)) {
      return `the key is ${shown(key)}; it must be letters, digits, dots, dashes or underscores, the first a letter or digit`;
    }
    const first = firsts.get(key.toLowerCase());
    if (first === undefined) {
      firsts.set(key.toLowerCase(), { key, row });
      return undefined;
    }
    const same = first.key === key ? 'has this key' : `has the key ${shown(first.key)}, and case does not count`;
    return `the key ${shown(key)} is taken: row ${first.row} ${same}; choose another`;
  };
}
