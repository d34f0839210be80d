import { frameLinks } from '../../contracts/file/frame-links';
import { type Change, type ShotAction, type ShotPlan } from '../../contracts/render/render-plan';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type ShotPolicy } from '../../contracts/render/plan';
import { chosenTakeOf, type ProductionStatus } from '../../contracts/status';
import { takesOfAsk, type TakeHistory } from '../../store';
import { type CurrentShot, currentShots, type TakesInput } from '../records/current-takes';
import { changesBetween, changesSince, indexFrames, hashInWords, type FrameIndex } from './changes';
import { type PlannedRender, planTake, lastProblem } from './plan-take';
import { planTakes } from './plan-takes';

export interface ShotsInput extends PlannedRender, Omit<TakesInput, 'sideBySide'> {
  /** The production as written in its file, without directions; undefined if unknown. */
  readonly written: FrozenProduction | undefined;
  /** The status with which the production last ended; undefined if it has not ended yet. */
  readonly status: ProductionStatus | undefined;
  /** Returns the shots of the running version. Called only to find the take to compare a shot with. */
  readonly underWay?: () => ReadonlyMap<string, CurrentShot>;
  /** By shot. Default: `ASK_A_PERSON`. */
  readonly policies: ReadonlyMap<string, ShotPolicy>;
}

/** A shot's plan without its price. */
export type UnpricedShot = Omit<ShotPlan, 'quote' | 'directedBy'>;

/** Actions that make a new take of the shot. */
const RENEWING: ReadonlySet<ShotAction> = new Set(['new', 'changed', 'stale', 'again']);

/** Actions that leave no output for linked shots. */
const MISSING: ReadonlySet<ShotAction> = new Set(['skipped', 'failed', 'blocked']);

const ASK_A_PERSON: ShotPolicy = { onUnclear: 'park', retryFailed: 0, onFailure: 'park', takes: 1, review: null };

/**
 * Plans the action of a render for each shot, in the film's order. Applies the same rules as a paying render. Pure.
 */
export function planShots(input: ShotsInput): readonly UnpricedShot[] {
  const { production, takes, policies, written } = input;
  const shots = new Map(production.shots.map((shot) => [shot.id, shot]));
  const asWritten = new Map(written?.shots.map((shot) => [shot.id, shot]));
  const policyOf = (id: string): ShotPolicy => policies.get(id) ?? ASK_A_PERSON;
  const sideBySide = new Map(production.shots.map(({ id }) => [id, policyOf(id).takes]));
  const current = currentShots({ ...input, sideBySide });
  const frames = indexFrames(takes);
  const planned = new Map<string, UnpricedShot>();

  function plan(shot: FrozenShot): UnpricedShot {
    const { id } = shot;
    const policy = policyOf(id);
    const links = frameLinks(shot);
    const sources = [...new Set(links.map((link) => link.shot))].flatMap((source) => planOf(source) ?? []);
    const missing = sources.filter(({ action }) => MISSING.has(action));
    const base = { ...BLANK, shot: id, makes: shot.model.output, directed: directedOf(shot, asWritten.get(id)) };
    if (missing.length > 0) return { ...base, action: 'blocked', through: missing.map(nameOf) };

    const heldBy = [...new Set(sources.flatMap((source) => (waitsForPerson(source) ? source.shot : source.heldBy)))];
    const renewed = sources.filter(isRenewed).map(nameOf);
    const now = current.get(id);
    if (renewed.length === 0 && now !== undefined) {
      const combined = planTakes(now, (take) => planTake(id, take, policy, input));
      const review = policy.review !== null && now.choice?.approved !== true && !MISSING.has(combined?.action ?? 'new');
      const chosenOver = chosenOverOf(now, shot, frames);
      if (combined !== undefined) return { ...base, ...combined, review, heldBy, chosenOver };
      // The newest take has not been sent yet. The take before it shows why the shot is rendered again.
      const ask = now.take?.intent.askKey;
      const previous = ask === undefined ? undefined : takesOfAsk(takes.get(id) ?? [], ask).at(-2);
      if (previous !== undefined) {
        const again = { action: 'again' as const, take: previous.take, reason: lastProblem(previous) };
        return { ...base, ...again, newTakes: policy.takes, review, heldBy };
      }
    }
    const anew = { newTakes: policy.takes, review: policy.review !== null, heldBy };
    const compared = comparedTake(id, input);
    if (compared === undefined) return { ...base, ...anew, action: 'new' };
    const { parameters, carried = {} } = compared.intent;
    const values = new Set([...Object.values(parameters).flat(), ...Object.values(carried).map(hashInWords)]);
    const replaced = links.filter((link) => {
      const now = indexFrames(new Map([[link.shot, [current.get(link.shot)?.take ?? []].flat()]]));
      const isOfAny = (index: FrameIndex): boolean => [...values].some((value) => index.isFrame(value, link));
      return isOfAny(frames) && !isOfAny(now);
    });
    const through = [...new Set([...renewed, ...replaced.map((link) => link.shot)])];
    const changes = [...changesSince(compared, shot, frames)];
    const action = through.length > 0 ? 'stale' : 'changed';
    return { ...base, ...anew, action, take: compared.take, through, changes };
  }

  /** Terminates, because checked productions have no cycles of links. */
  function planOf(id: string): UnpricedShot | undefined {
    const shot = shots.get(id);
    if (shot !== undefined && !planned.has(id)) planned.set(id, plan(shot));
    return planned.get(id);
  }
  return production.shots.map(({ id }) => planOf(id)).filter((shot) => shot !== undefined);
}

const BLANK = {
  take: null,
  through: [],
  heldBy: [],
  changes: [],
  reason: null,
  newTakes: 0,
  review: false,
  chosenOver: null,
};

/** True if shots that link to this shot cannot be reused. A waiting shot counts, because it may get another take. */
function isRenewed({ action }: UnpricedShot): boolean {
  return RENEWING.has(action) || action === 'waits';
}

/** True if a person must answer before other shots can use this shot's output. */
function waitsForPerson({ action, review }: UnpricedShot): boolean {
  return action === 'waits' || review;
}

function nameOf({ shot }: UnpricedShot): string {
  return shot;
}

function directedOf(shot: FrozenShot, written: FrozenShot | undefined): Change[] | null {
  if (written === undefined) return null;
  const changes = [...changesBetween(written, shot)];
  return changes.length > 0 || shot.variant !== written.variant ? changes : null;
}

/**
 * The changes since the take that a person chose; null if no person chose a take, or if the chosen take belongs to the
 * present request.
 */
function chosenOverOf({ choice, siblings, take }: CurrentShot, shot: FrozenShot, frames: FrameIndex): Change[] | null {
  if (choice?.by !== 'person' || take === undefined) return null;
  const isOfAsk = siblings.some((sibling) => sibling?.intent.askKey === take.intent.askKey);
  return isOfAsk ? null : [...changesSince(take, shot, frames)];
}

/**
 * The take to compare a shot with; undefined if the shot has neither a sent take nor an alias.
 *
 * Prefers these takes, in this order:
 * - the current take of the running version
 * - the chosen take, or else the last take, of the render that ended last
 * - the newest take
 *
 * An alias is never sent: it reuses the output of another production's take.
 */
function comparedTake(shotId: string, { takes, status, underWay }: ShotsInput): TakeHistory | undefined {
  const sent = (takes.get(shotId) ?? []).filter(({ sendings, intent }) => sendings.length > 0 || intent.alias);
  const archivedShot = status?.shots.find(({ id }) => id === shotId);
  const last = archivedShot === undefined ? undefined : (chosenTakeOf(archivedShot) ?? archivedShot.takes.at(-1));
  const byKey = (takeKey: string | undefined): TakeHistory | undefined =>
    sent.find(({ intent }) => intent.takeKey === takeKey);
  return byKey(underWay?.().get(shotId)?.take?.intent.takeKey) ?? byKey(last?.takeKey) ?? sent.at(-1);
}
