import { knownProduction, knownShot, listTakes } from '../../client/directing';
import { type ListedTake } from '../../contracts/listed-take';
import { openStore } from '../../store';
import { readConfig } from '../../workers/config';
import { EXIT, type ExitCode } from '../exit-codes';
import { changesInWords, inCredits } from '../plan-wording';
import { print, printJson } from '../streams';

/** Lists every take that a production, or one of its shots, ever had. Looks at the store alone. */
export async function takes(
  productionId: string,
  shotId: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<ExitCode> {
  const config = readConfig();
  const store = await openStore(config.storeFolder);
  const known = await knownProduction(store, config.account, productionId);
  const all = await listTakes(store, config.account, known);
  const listed = all.filter(({ shot }) => shotId === undefined || shot === shotId);
  if (shotId !== undefined && listed.length === 0) knownShot(known, shotId);
  if (json === true) printJson(listed);
  else if (listed.length === 0) print(`No take of ${shotId ?? productionId} has been sent yet.`);
  else print(listed.map((take, index) => inWords(take, listed[index - 1])).join('\n'));
  return EXIT.completed;
}

function inWords(
  { shot, take, state, chosen, approved, changes, credits, path }: ListedTake,
  before?: ListedTake,
): string {
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
    ...(path === null ? [] : [`       ${path}`]),
  ].join('\n');
}
