import { frameLinks } from '../../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { type ShotPolicy } from '../../contracts/plan';
import { type ShotAction, type ShotPlan } from '../../contracts/render-plan';
import { chosenTakeOf, type ProductionStatus } from '../../contracts/status';
import { takesOfAsk, type TakeHistory } from '../../store';
import { currentTakes } from '../current-takes';
import { changesSince, framesOf, hashInWords } from './changes';
import { type PlannedRender, planTake, troubleOf } from './plan-take';

/** All that a plan of shots depends on. */
export interface ShotsInput extends PlannedRender {
  readonly production: FrozenProduction;
  readonly account: string;
  /** Of this account, by shot. */
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** With which the production last ended: it says which takes a shot is compared with. */
  readonly status: ProductionStatus | undefined;
  /** By shot; a shot that has none asks a person. */
  readonly policies: ReadonlyMap<string, ShotPolicy>;
}

/** A shot's plan before anybody has asked for its price. */
export type UnpricedShot = Omit<ShotPlan, 'quote'>;

/** Actions that end in a take that is paid for. */
const PAID: ReadonlySet<ShotAction> = new Set(['new', 'changed', 'stale', 'again']);

/** Actions that leave no frame for another shot to start on. */
const MISSING: ReadonlySet<ShotAction> = new Set(['skipped', 'failed', 'blocked']);

const ASK_A_PERSON: ShotPolicy = { onUnclear: 'park', retryFailed: 0 };

export function isPaidFor({ action }: Pick<ShotPlan, 'action'>): boolean {
  return PAID.has(action);
}

/** What a render would do with each shot, in the film's order. Pure, by the rules by which takes are claimed. */
export function planShots(input: ShotsInput): readonly UnpricedShot[] {
  const { production, account, takes, policies } = input;
  const shots = new Map(production.shots.map((shot) => [shot.id, shot]));
  const current = currentTakes(account, production, takes);
  const frames = framesOf(takes);
  const planned = new Map<string, UnpricedShot>();

  function plan(shot: FrozenShot): UnpricedShot {
    const { id } = shot;
    const links = frameLinks(shot);
    const sources = [...new Set(links.map((link) => link.shot))].flatMap((source) => planOf(source) ?? []);
    const missing = sources.filter(({ action }) => MISSING.has(action));
    if (missing.length > 0) return { ...NOTHING, shot: id, action: 'blocked', through: missing.map(nameOf) };

    const renewed = sources.filter(isRenewed).map(nameOf);
    const take = current.get(id);
    if (renewed.length === 0 && take !== undefined) {
      const found = planTake(id, take, policies.get(id) ?? ASK_A_PERSON, input);
      if (found !== undefined) return { ...NOTHING, shot: id, take: take.take, ...found };
      // Claimed, and not sent yet: what it follows says why.
      const followed = takesOfAsk(takes.get(id) ?? [], take.intent.askKey).at(-2);
      if (followed !== undefined) {
        return { ...NOTHING, shot: id, action: 'again', take: followed.take, reason: troubleOf(followed) };
      }
    }
    const heldBy = [...new Set(sources.flatMap((source) => (source.action === 'waits' ? source.shot : source.heldBy)))];
    const base = comparedTake(id, input);
    if (base === undefined) return { ...NOTHING, shot: id, action: 'new', heldBy };
    const { parameters, carried = {} } = base.intent;
    const values = new Set([...Object.values(parameters).flat(), ...Object.values(carried).map(hashInWords)]);
    const replaced = links.filter((link) => {
      const { output } = current.get(link.shot) ?? {};
      const frame = link.frame === 'last' ? output?.lastFrame?.asset : output?.firstFrame;
      const isCurrent = frame != null && values.has(hashInWords(frame.sha256));
      return !isCurrent && [...values].some((value) => frames.isFrame(value, link));
    });
    const through = [...new Set([...renewed, ...replaced.map((link) => link.shot)])];
    const changes = [...changesSince(base, shot, frames)];
    const action = through.length > 0 ? 'stale' : 'changed';
    return { ...NOTHING, shot: id, action, take: base.take, through, heldBy, changes };
  }

  /** Checked productions have no cycles among their links. */
  function planOf(id: string): UnpricedShot | undefined {
    const shot = shots.get(id);
    if (shot !== undefined && !planned.has(id)) planned.set(id, plan(shot));
    return planned.get(id);
  }
  return production.shots.map(({ id }) => planOf(id)).filter((shot) => shot !== undefined);
}

const NOTHING = { take: null, through: [], heldBy: [], changes: [], reason: null };

/** A shot that waits may end in any take: what starts on it cannot be reused either. */
function isRenewed(plan: UnpricedShot): boolean {
  return isPaidFor(plan) || plan.action === 'waits';
}

function nameOf({ shot }: UnpricedShot): string {
  return shot;
}

/** The take that stood for the shot when the production last ended, else the newest that anybody sent. */
function comparedTake(shotId: string, { takes, status }: ShotsInput): TakeHistory | undefined {
  const sent = (takes.get(shotId) ?? []).filter(({ sendings }) => sendings.length > 0);
  const stood = status?.shots.find(({ id }) => id === shotId);
  const last = stood === undefined ? undefined : (chosenTakeOf(stood) ?? stood.takes.at(-1));
  return sent.find(({ intent }) => intent.takeKey === last?.takeKey) ?? sent.at(-1);
}
