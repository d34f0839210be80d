import { z } from 'zod';
import { accountFolder } from './account-folder';
import { ifReadable, type Records } from './records';
import { hashOf } from './take-key';

/** When an execute of a model timed out last. Times are ISO 8601. */
const TimedOutExecute = z.looseObject({
  model: z.string(),
  reason: z.string(),
  at: z.string(),
  /** Until then its tasks are submitted. */
  until: z.string(),
});
type TimedOutExecute = z.infer<typeof TimedOutExecute>;

/** A model as it is addressed at the gateway. */
export interface AddressedModel {
  readonly id: string;
  readonly workflow?: string | undefined;
}

/** The last execute of each model that timed out, shared by all workers of an account. */
export interface TimedOutExecutes {
  read(model: AddressedModel): Promise<TimedOutExecute | undefined>;
  note(model: AddressedModel, timedOut: Omit<TimedOutExecute, 'model'>): Promise<void>;
}

export function createTimedOutExecutes(records: Records, account: string): TimedOutExecutes {
  const keyOf = (model: AddressedModel): string => `${accountFolder(account)}/timed-out-executes/${modelHash(model)}`;
  return {
    async read(model) {
      const found = await ifReadable(async () => TimedOutExecute.optional().parse(await records.read(keyOf(model))));
      return found?.value;
    },
    note: (model, timedOut) => records.replace(keyOf(model), { ...timedOut, model: model.id }),
  };
}

/** The key of a model's records, since the id of a model may contain any character. */
export function modelHash({ id, workflow }: AddressedModel): string {
  return hashOf([id, workflow ?? null]).slice(0, 16);
}
