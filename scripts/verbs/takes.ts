import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { takeName } from '../../client/out-names';
import { knownProduction, knownShot } from '../../client/directing/known-production';
import { listTakes } from '../../client/directing/list-takes';
import { type ListedTake } from '../../contracts/listed-take';
import { openOwnStore } from '../../workers/own-store';
import { readConfig } from '../command-config';
import { EXIT, type ExitCode } from '../exit-codes';
import { changesInWords, inCredits } from '../plan-wording';
import { outFolder } from '../out-folder';
import { print, printJson } from '../streams';

/** Lists every take that a production, or one of its shots, ever had. Looks at the store alone. */
export async function takes(
  productionId: string,
  shotId: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const known = await knownProduction(store, config.account, productionId);
  const all = await listTakes(store, config.account, known);
  const listed = all.filter(({ shot }) => shotId === undefined || shot === shotId);
  if (shotId !== undefined && listed.length === 0) knownShot(known, shotId);
  if (json === true) printJson(listed);
  else if (listed.length === 0) print(`No take of ${shotId ?? productionId} has been sent yet.`);
  else print(listed.flatMap((take, index) => inWords(productionId, take, listed[index - 1])));
  return EXIT.completed;
}

function inWords(productionId: string, listed: ListedTake, before: ListedTake | undefined): readonly string[] {
  const { shot, take, state, chosen, approved, changes, credits } = listed;
  const place = placeOf(productionId, listed);
  const facts = [
    ...(state === 'submitting'
      ? ['not accepted yet']
      : [state, credits === null ? 'no price yet' : inCredits(credits)]),
    ...(chosen ? [approved ? 'chosen, approved' : 'chosen'] : []),
    ...(changes === null ? [] : [changes.length === 0 ? 'asked for the same' : changesInWords(changes)]),
  ];
  return [
    ...(before?.shot === shot ? [] : [shot]),
    `${chosen ? ' *' : '  '} take ${take}  ${facts.join('; ')}`,
    ...(place === null ? [] : [`       ${place}`]),
  ];
}

/** Where a person opens it: in the out folder, by a name with an ending, where it was published there; else in the store. */
function placeOf(productionId: string, { shot, take, path, mediaType }: ListedTake): string | null {
  if (path === null || mediaType === null) return null;
  const published = join(outFolder(productionId), takeName(shot, take, { mediaType }));
  return existsSync(published) ? published : `${path} (${mediaType})`;
}
