import { type AppliedFallback, type ApplyFallbackInput, type DecisionActivities } from '../../contracts/activities';
import { type Direction } from '../../contracts/render/directing';
import { frameLinks } from '../../contracts/file/frame-links';
import { FrozenShot, unsentFields, withoutUnsentFields } from '../../contracts/render/frozen';
import { type PlannedShot, type ProductionPlan } from '../../contracts/render/plan';
import { type Fallback, type FallbackShot } from '../../contracts/render/plan';
import {
  askKey,
  canonicalJson,
  choiceAddress,
  isAnswered,
  needsNewTake,
  shotDigest,
  type Store,
  type TakeHistory,
  takeOfChoice,
  takesOfAsk,
} from '../../store';
import { type FrozenProductions } from '../frozen-productions';
import { storedJson } from '../stored-json';
import { whileLedgerServes } from '../translate-error';
import { withHeartbeat } from '../with-heartbeat';

export interface ApplyFallbackDependencies {
  readonly account: string;
  readonly store: Store;
  readonly productions: FrozenProductions;
}

/**
 * Makes the activity that switches late shots to their file's fallback. Records each switch as a direction (an override
 * of the production file), which later renders follow. Returns the changed production and plan.
 *
 * Does not switch a shot that already has the fallback, a direction, or a take that answers its ask (`openAnswers`).
 * May run again: a recorded direction is not recorded twice, and the result is the same.
 *
 * @throws LedgerUnavailable (retried), AssetMissing (final). See docs/failures.md.
 */
export function createApplyFallback(dependencies: ApplyFallbackDependencies): DecisionActivities['applyFallback'] {
  return (input) => withHeartbeat(() => whileLedgerServes(() => apply(dependencies, input)));
}

async function apply(dependencies: ApplyFallbackDependencies, input: ApplyFallbackInput): Promise<AppliedFallback> {
  const { account, store, productions } = dependencies;
  const { productionId, renderId } = input;
  const [current, written] = [await productions.load(input.production), await productions.load(input.written)];
  const plan = (await storedJson(store, input.plan, 'the plan')) as ProductionPlan;
  const { shots: fallbackShots } = (await storedJson(store, input.fallback, 'the fallback')) as Fallback;
  const fallbacks = new Map(fallbackShots.map((one) => [one.shot.id, one]));
  const asWritten = new Map(written.shots.map((shot) => [shot.id, shot]));
  const now = new Map(current.shots.map((shot) => [shot.id, shot]));
  const planned = new Map(plan.shots.map((shot) => [shot.id, shot]));
  const { directing } = store;
  const answers = openAnswers(store, {
    account,
    productionId,
    renderId,
    standing: input.standing,
    shots: now,
    planned,
  });

  const left: AppliedFallback['left'][number][] = [];
  const taken: FallbackShot[] = [];
  for (const id of input.shots) {
    const [shot, before, fallback] = [now.get(id), asWritten.get(id), fallbacks.get(id)];
    if (shot === undefined || before === undefined || fallback === undefined) continue;
    if (isSame(fallback, shot, planned.get(id))) {
      left.push({ shot: id, reason: 'it is rendered by the fallback already' });
    } else if (shotDigest(shot) !== shotDigest(before)) {
      left.push({ shot: id, reason: 'a direction already overrides the production file' });
    } else if (isByPerson(await directing.direction(productionId, id), before)) {
      left.push({ shot: id, reason: 'a person has just directed it' });
    } else if (await answers.isAnswered(id)) {
      left.push({ shot: id, reason: 'the ledger has a take for it, or a decision to leave it out' });
    } else {
      taken.push({ shot: asDirected(fallback.shot, before), planned: { ...fallback.planned, directed: true } });
    }
  }
  const byId = new Map(taken.map((one) => [one.shot.id, one]));
  const applied = {
    production: await store.putJson({
      ...current,
      shots: current.shots.map((shot) => byId.get(shot.id)?.shot ?? shot),
    }),
    plan: await store.putJson({ ...plan, shots: plan.shots.map((shot) => byId.get(shot.id)?.planned ?? shot) }),
    shots: taken.map((one) => one.planned),
    left,
  };
  // Record directions last. If a step above fails, there is no direction, and the shots are rendered as written. A
  // person's direction that has just arrived stays in force, and its shot is left out.
  const overtaken = new Set<string>();
  for (const {
    shot,
    planned: { takes },
  } of taken) {
    const before = asWritten.get(shot.id) ?? shot;
    const many = takes === planned.get(shot.id)?.takes ? {} : { takes };
    const direction = { of: shotDigest(before), shot: withoutUnsentFields(shot), by: 'deadline', ...many } as const;
    await directing.directUnless(productionId, shot.id, direction, (inForce) => {
      if (isByPerson(inForce, before)) overtaken.add(shot.id);
      return overtaken.has(shot.id) || isNoted(direction, inForce);
    });
  }
  return overtaken.size > 0 ? apply(dependencies, input) : applied;
}

function isSame({ planned: { digest, takes } }: FallbackShot, shot: FrozenShot, now: PlannedShot | undefined): boolean {
  return digest === shotDigest(shot) && takes === now?.takes;
}

interface AnswerLookup {
  readonly account: string;
  readonly productionId: string;
  readonly renderId: string;
  readonly standing: Readonly<Record<string, string>>;
  readonly shots: ReadonlyMap<string, FrozenShot>;
  readonly planned: ReadonlyMap<string, PlannedShot>;
}

/**
 * Finds takes in the ledger that answer the shots' current asks (requests), whichever render sent them. The render
 * continues with such a take, so a fallback would be paid for in addition. A take that failed or was refused in this
 * render, or that a person skipped, also answers its ask. A take that is still to be sent does not.
 */
function openAnswers(
  store: Store,
  { account, productionId, renderId, standing: told, shots, planned }: AnswerLookup,
): { readonly isAnswered: (shotId: string) => Promise<boolean> } {
  const known = new Map<string, Promise<readonly TakeHistory[]>>();

  /** The takes that answer the shot's ask; none if the shot links to a take that does not exist yet. */
  function answersOf(shotId: string): Promise<readonly TakeHistory[]> {
    const looking = known.get(shotId) ?? look(shotId);
    known.set(shotId, looking);
    return looking;
  }
  async function look(shotId: string): Promise<readonly TakeHistory[]> {
    const shot = shots.get(shotId);
    if (shot === undefined) return [];
    const takes = await store.ledger.takes(productionId, shotId);
    if (takes.length === 0) return [];
    const links: { shot: string; frame: 'first' | 'last' | 'whole'; takeKey: string }[] = [];
    for (const { shot: source, frame } of frameLinks(shot)) {
      const takeKey = told[source] ?? (await answersOf(source))[0]?.intent.takeKey;
      if (takeKey === undefined) return [];
      links.push({ shot: source, frame, takeKey });
    }
    const ask = { account, productionId, shot, links };
    const choice = await store.directing.choice(choiceAddress(ask));
    const chosen = takeOfChoice(takes, choice);
    const siblings = Array.from({ length: planned.get(shotId)?.takes ?? 1 }, (_, sibling) => sibling);
    const newest = siblings.flatMap((sibling) => takesOfAsk(takes, askKey({ ...ask, sibling })).at(-1) ?? []);
    const counting = newest.filter((take) => !needsNewTake(take, { renderId, attempt: 1 }) && isAnswered(take));
    return chosen === undefined ? counting : [chosen, ...counting];
  }
  return { isAnswered: async (shotId) => (await answersOf(shotId)).length > 0 };
}

/** The fallback's shot. The fields that are never sent come from the shot as written. */
function asDirected(shot: FrozenShot, before: FrozenShot): FrozenShot {
  return { ...withoutUnsentFields(FrozenShot.parse(shot)), ...unsentFields(before) };
}

/** True for a person's direction that applies to the shot as written. */
function isByPerson(direction: Direction | undefined, written: FrozenShot): boolean {
  return direction !== undefined && direction.by !== 'deadline' && direction.of === shotDigest(written);
}

function isNoted(direction: Direction, noted: Direction | undefined): boolean {
  if (noted === undefined) return false;
  const { of, shot, by, takes } = noted;
  return canonicalJson({ of, shot, by, takes }) === canonicalJson(direction);
}
