import { driftsOf } from '../../client/status/continuity';
import { playableTakes } from '../../client/directing/playable-takes';
import { takesOf } from '../../client/records/takes';
import { publish } from '../../client/output/out-folder';
import { type ProductionStatus } from '../../contracts/status';
import { chargeOf, currentOutput, type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { inCredits } from '../../client/plan/plan-in-words';
import { driftInWords, tellOfMoved } from '../wording/report';
import { table } from '../../client/wording/table';
import { tell } from '../process/streams';
import { openFile } from '../process/open-file';
import { type Shown } from './review-loop';
import { createOutFolders } from '../../client/records/out-folders';

/** Prints a take's prompt, cost, drift and file, and opens the file. */
export async function showTake(
  config: Config,
  store: Store,
  status: ProductionStatus,
  { shot, take }: Shown,
  { at, of }: { readonly at: number; readonly of: number },
): Promise<void> {
  const { production } = status;
  const histories = (await takesOf(store, config.account, production)).get(shot.id) ?? [];
  const history = histories.find((one) => one.take === take);
  const credits = history === undefined ? null : chargeOf(history);
  const asset = history === undefined ? null : (currentOutput(history)?.asset ?? null);
  const file =
    asset !== null && (await store.assets.has(asset))
      ? await playableFile(config, store, status, { shot: shot.id, take, mediaType: asset.mediaType })
      : null;
  const prompt = history?.intent.parameters['prompt'];
  const drift = driftInWords((await driftsOf(store, withTake(status, shot.id, take))).get(shot.id));
  const why = shot.for === 'approval' ? 'waits for your approval' : 'has no chosen take';
  tell([
    '',
    `"${shot.id}" ${why} (${at} of ${of})`,
    ...table([
      ['take', `${take}${shot.takes.length > 1 ? ` of ${shot.takes.join(', ')}` : ''}`],
      ...(typeof prompt === 'string' ? [['prompt', prompt] as const] : []),
      ['cost', credits === null ? 'not reported' : inCredits(credits)],
      ...(drift === '' ? [] : [['drift', drift.replace(/^; /, '')] as const]),
      [
        'file',
        file ??
          'not in the store; if you keep the take, it is downloaded again at no cost, as long as the gateway has it',
      ],
    ]),
  ]);
  if (file === null) return;
  openFile(file, () => {
    tell('No player could be started here; open the file yourself.');
  });
}

/**
 * The path of the take's exported file; null if the take cannot be exported. If the file is missing, exports the
 * production first, as `dailies export` does.
 */
async function playableFile(
  { account, ffmpegPath }: Config,
  store: Store,
  status: ProductionStatus,
  take: { readonly shot: string; readonly take: number; readonly mediaType: string },
): Promise<string | null> {
  const find = async (): Promise<string | null> =>
    (await playableTakes(store, status.production))({ ...take, path: '' });
  const found = await find();
  if (found !== null) return found;
  const folder = await createOutFolders(store).folderOf(status.production);
  const { movedAside } = await publish({ store, account, status, folder, ffmpegPath });
  tellOfMoved(movedAside);
  return find();
}

/** The status as if the take were chosen for the shot, because drift is computed only for chosen takes. */
function withTake(status: ProductionStatus, shotId: string, take: number): ProductionStatus {
  const shots = status.shots.map((shot) =>
    shot.id === shotId ? { ...shot, state: 'completed' as const, filmTake: take } : shot,
  );
  return { ...status, shots };
}
