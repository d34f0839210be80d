import { z } from 'zod';
import { accountFolder } from './account-folder';
import { ifReadable, type Records } from '../records';
import { hashOf } from '../ledger/take-key';

/** A model whose execute calls (submits that wait for the result) timed out or failed. Times are ISO 8601. */
const TimedOutExecute = z.looseObject({
  model: z.string(),
  reason: z.string(),
  at: z.string(),
  /** Until this time the model's tasks are submitted instead of executed. */
  until: z.string(),
});
type TimedOutExecute = z.infer<typeof TimedOutExecute>;

/** The fields that identify a model at the gateway. */
export interface AddressedModel {
  readonly id: string;
  readonly workflow?: string | undefined;
}

/** The models whose execute calls timed out or failed, shared by all workers of an account. */
export interface TimedOutExecutes {
  read(model: AddressedModel): Promise<TimedOutExecute | undefined>;
  /** Records a time-out, unless the recorded one lasts at least as long. */
  note(model: AddressedModel, timedOut: Record<'reason' | 'at' | 'until', string>): Promise<void>;
}

export function createTimedOutExecutes(records: Records, account: string): TimedOutExecutes {
  const keyOf = (model: AddressedModel): string => `${accountFolder(account)}/timed-out-executes/${modelHash(model)}`;
  const read = async (model: AddressedModel): Promise<TimedOutExecute | undefined> =>
    (await ifReadable(async () => TimedOutExecute.optional().parse(await records.read(keyOf(model)))))?.value;
  return {
    read,
    async note(model, timedOut) {
      const known = await read(model);
      const knownMs = known === undefined ? 0 : Date.parse(known.until) || 0;
      if (knownMs < Date.parse(timedOut.until)) await records.replace(keyOf(model), { ...timedOut, model: model.id });
    },
  };
}

/** The key of a model's records: a hash, since a model's id may contain any character. */
export function modelHash({ id, workflow }: AddressedModel): string {
  return hashOf([id, workflow ?? null]).slice(0, 16);
}
