import { generationTake, Refused } from '../../client';
import { formatIssues } from '../../client/production-file';
import { type FrozenInStore } from '../../client/freeze/freeze-production';
import { freezeGeneration } from '../../client/freeze/freeze-generation';
import { type PlannedShot } from '../../contracts/render/plan';
import { isGivenUp, ledgerState, type Store, type TakeHistory } from '../../store';
import { type Config } from '../../workers/config/config';
import { packageFile } from '../../client/wording/package-file';

/** How the start frame of the clip is sent: as a data URI, as an address, or (null) not at all. */
export type Picture = { readonly by: 'data URI' } | { readonly by: 'address'; readonly url: string } | null;

/** The task that `dailies doctor --spend` pays for, frozen in the store. */
export interface FirstTask extends Pick<FrozenInStore, 'ref'> {
  readonly shot: PlannedShot;
  readonly picture: Picture;
  /** The task's newest take; undefined if there is none yet. */
  newestTake(): Promise<TakeHistory | undefined>;
}

/**
 * A cheap task: the shortest clip, at the lowest resolution and without sound. Of the two models in the gateway
 * specification, only `beta-2.5` can return a last frame.
 */
export const FIRST_TASK = { model: 'beta-2.5', durationSeconds: 4, resolution: '480p' } as const;

const PROMPT = 'The sea at dawn. Slow waves, and the light grows.';

const PICTURE = packageFile('productions', 'lighthouse', 'dawn.jpg');

/**
 * Stores the task. The same id and picture give the same take, so the task is paid for again only if it has failed or a
 * person decided to resubmit it.
 *
 * @throws Refused if the task's parameters or start frame are invalid.
 */
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
    // The person agreed to one task, so a failed task is not retried.
    shot: { ...shot, retryFailed: 0 },
    picture,
    newestTake: () => generationTake(store, config.account, frozen.frozen),
  };
}

/** Whether a run could submit the task: it was never sent, was refused, has failed, or a decision allows a resubmit. */
export function wouldPay(take: TakeHistory | undefined): boolean {
  if (take === undefined || isGivenUp(take)) return true;
  const now = ledgerState(take);
  return now.is === 'sendable' || now.is === 'refused' || (now.is === 'settled' && now.settled.state === 'failed');
}
