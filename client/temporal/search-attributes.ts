import { type ConnectionLike } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, type Searchable } from '../../contracts/workflows';

const NAMES = Object.values(SEARCH_ATTRIBUTES);

/** INDEXED_VALUE_TYPE_KEYWORD of Temporal's API. */
const KEYWORD = 2;

/**
 * True if the server has all search attributes of Dailies, so that workflows may set them. False also if the call
 * fails.
 */
export async function knowsSearchAttributes(connection: ConnectionLike, namespace: string): Promise<Searchable> {
  try {
    return (await missing(connection, namespace)).length === 0;
  } catch {
    return false;
  }
}

/**
 * Registers missing search attributes.
 *
 * @returns the error message if a call failed, for example for lack of permission. Dailies then works without them.
 */
export async function registerSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
): Promise<string | undefined> {
  try {
    const names = await missing(connection, namespace);
    if (names.length > 0) {
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(names.map((name) => [name, KEYWORD])),
      });
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function missing(connection: ConnectionLike, namespace: string): Promise<readonly string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return NAMES.filter((name) => !(name in customAttributes));
}
