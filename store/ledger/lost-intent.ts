import { type AskedTask } from '../../contracts/activities';
import { type FrozenShot } from '../../contracts/render/frozen';
import { knownModel, type OutputKind } from '../../contracts/gateway/models';
import { type TakeRef } from '../../contracts/render/take';
import { type LostIntent, type PaidTask } from './rebuilt-takes';
import { askKey, countInAsk } from './take-key';

/** A task as a workflow knows it. */
export interface WorkflowTask extends PaidTask {
  readonly asked?: AskedTask | undefined;
  /** Default: the known model's kind of output, else video. */
  readonly output?: OutputKind;
}

/**
 * Rebuilds a lost take's intent (the ledger's record of the request) as far as it is known.
 *
 * @param shot the frozen shot; undefined if it is lost too.
 */
export function lostIntent(
  account: string,
  { take, asked, output }: WorkflowTask,
  shot: FrozenShot | undefined,
): LostIntent {
  const common = { account, renderId: asked?.renderId ?? 'unknown', attempt: asked?.attempt ?? 1 };
  const ask = asked === undefined || shot === undefined ? undefined : askOf(account, take, asked, shot);
  if (shot !== undefined && ask !== undefined) {
    return { ...common, ...ask, asked: true, parameters: shot.parameters, model: shot.model };
  }
  const model = { ...take.model, output: output ?? knownModel(take.model.id)?.output ?? 'video' };
  return { ...common, asked: false, askKey: take.takeKey, count: 0, parameters: {}, model };
}

/**
 * The take's ask key, and the number of earlier takes with this key. Undefined if `links` is incomplete, or if the take
 * belongs to another request, for example because a person has chosen it.
 */
function askOf(
  account: string,
  { productionId, takeKey }: TakeRef,
  { links, sibling }: AskedTask,
  shot: FrozenShot,
): Pick<LostIntent, 'askKey' | 'count'> | undefined {
  try {
    const ask = askKey({ account, productionId, shot, links, sibling });
    const count = countInAsk(ask, takeKey);
    return count === undefined ? undefined : { askKey: ask, count };
  } catch {
    // The shot has a link that is not in `links`.
    return undefined;
  }
}
