import { generationTake, Refused } from '../../client';
import { formatIssues, type FrozenInStore, freezeGeneration } from '../../client/production-file';
import { type PlannedShot } from '../../contracts/plan';
import { standing, type Store, type TakeHistory } from '../../store';
import { type Config } from '../../workers/config';
import { packageFile } from '../package-file';

/** How the picture that the clip starts on is sent: in full, by its address, or not at all. */
export type Picture = { readonly by: 'data URI' } | { readonly by: 'address'; readonly url: string } | null;

/** The task that is paid for. */
export interface FirstTask extends Pick<FrozenInStore, 'ref'> {
  readonly shot: PlannedShot;
  readonly picture: Picture;
  /** The newest take of it; undefined if none was made yet. */
  newestTake(): Promise<TakeHistory | undefined>;
}

/**
 * The least that shows most: the shortest clip of the two models that are specified, at its lowest resolution and
 * without sound, of the model that hands over a last frame.
 */
export const FIRST_TASK = { model: 'beta-2.5', durationSeconds: 4, resolution: '480p' } as const;

const PROMPT = 'The sea at dawn. Slow waves, and the light grows.';

const PICTURE = packageFile('productions', 'lighthouse', 'dawn.jpg');

/** Puts the task into the store. The same id and picture are the same take, which is never paid for twice. */
export async function freezeFirstTask(id: string, picture: Picture, config: Config, store: Store): Promise<FirstTask> {
  const { model, durationSeconds, resolution } = FIRST_TASK;
  const frozen = await freezeGeneration(
    {
      id,
      model,
      prompt: PROMPT,
      settings: [
        `duration=${durationSeconds}`,
        `resolution=${resolution}`,
        'generateAudio=false',
        'returnLastFrame=true',
      ],
      files: picture === null ? [] : [`startFrame=${picture.by === 'address' ? picture.url : PICTURE}`],
      folder: '.',
    },
    config,
    store,
  );
  if (!frozen.ok) throw new Refused(formatIssues(frozen.issues));
  const [shot] = frozen.plan.shots;
  if (shot === undefined) throw new Error('a generation has one task');
  return {
    ref: frozen.ref,
    // One task was said yes to: one that the gateway fails is not followed by another.
    shot: { ...shot, retryFailed: 0 },
    picture,
    newestTake: () => generationTake(store, config.account, frozen.frozen),
  };
}

/** Whether running the task could send it: not where it was sent before, however that ended, unless it surely failed. */
export function wouldPay(take: TakeHistory | undefined): boolean {
  if (take === undefined) return true;
  const now = standing(take);
  return now.is === 'sendable' || now.is === 'refused' || (now.is === 'settled' && now.settled.state === 'failed');
}
