import { type StoreView } from '../../store';
import { didYouMean } from './phrases';

/**
 * The request is invalid, or the current state does not allow it. Nothing has changed, unless the function documents an
 * exception. The message is for a person.
 */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The change would change nothing: the production already follows the given file. */
export class NothingToChange extends Refused {}

/** The request names something that does not exist, such as an unknown production. */
export class Unknown extends Refused {}

/** @param ids known ids, to suggest a similar one. */
export function unknownProduction(productionId: string, ids: readonly string[]): Refused {
  return unknownId('production', productionId, ids);
}

/** @param what such as `production or batch`. */
export function unknownId(what: string, id: string, ids: readonly string[]): Refused {
  return new Unknown(`no ${what} "${id}" is known here; see \`dailies list\`.${didYouMean(id, ids)}`);
}

/** The refusal of an id that names no production or batch of the store. The message suggests a similar id. */
export async function unknownProductionOrBatch(
  { productions, batches }: Pick<StoreView, 'productions' | 'batches'>,
  id: string,
): Promise<Refused> {
  return unknownId('production or batch', id, [...(await productions.ids()), ...(await batches.ids())]);
}

export function unknownShot(productionId: string, shotId: string, shots: readonly string[]): Refused {
  const near = didYouMean(shotId, shots);
  return new Unknown(
    `production "${productionId}" has no shot "${shotId}"${near === '' ? `; it has ${shots.join(', ')}` : `.${near}`}`,
  );
}

/** @param what such as `production "film" is rendered`. */
export function wrongAccount(what: string, payer: string, account: string): Refused {
  return new Refused(
    `${what} for the account ${payer}, and the current account is ${account}; ` +
      `set DAILIES_GATEWAY_URL and DAILIES_GATEWAY_ACCOUNT as they were for ${payer}`,
  );
}
