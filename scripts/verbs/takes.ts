import { knownProduction, knownShot } from '../../client/directing/known-production';
import { listTakes } from '../../client/directing/list-takes';
import { type ListedTake } from '../../contracts/render/listed-take';
import { playableTakes } from '../../client/directing/playable-takes';
import { exportCommand } from '../../client/wording/commands';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { changesInWords } from '../../client/plan/changes-in-words';
import { inCredits } from '../../client/plan/plan-in-words';
import { print, printJson, tell } from '../process/streams';

/** Lists all takes of a production, or of one of its shots. Starts nothing. */
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
  else {
    const playable = await playableTakes(store, productionId);
    print(listed.flatMap((take, index) => inWords(take, playable(take), listed[index - 1])));
    const isInStore = (take: ListedTake): boolean => take.path !== null && playable(take) === null;
    if (listed.some(isInStore))
      tell(`The store's files have no extensions. To export them as playable files: ${exportCommand(productionId)}`);
  }
  return EXIT.completed;
}

function inWords(listed: ListedTake, file: string | null, before: ListedTake | undefined): readonly string[] {
  const { shot, take, state, chosen, approved, changes, credits, path, mediaType } = listed;
  const place = file ?? (path === null ? null : `${path} (${mediaType ?? 'unknown'})`);
  const facts = [
    ...(state === 'submitting'
      ? ['not accepted yet']
      : [state, credits === null ? 'price unknown' : inCredits(credits)]),
    ...(chosen ? [approved ? 'chosen, approved' : 'chosen'] : []),
    ...(changes === null
      ? []
      : [changes.length === 0 ? 'the same request as the take before' : changesInWords(changes)]),
  ];
  return [
    ...(before?.shot === shot ? [] : [shot]),
    `${chosen ? ' *' : '  '} take ${take}  ${facts.join('; ')}`,
    ...(place === null ? [] : [`       ${place}`]),
  ];
}
