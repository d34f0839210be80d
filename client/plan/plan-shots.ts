import { frameLinks } from '../../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { type ShotAction, type ShotPlan } from '../../contracts/render-plan';
import { type ProductionStatus } from '../../contracts/status';
import { isOver, standing, type TakeHistory } from '../../store';
import { currentTakes } from '../current-takes';
import { changesSince, framesOf, hashInWords } from './changes';

/** All that a plan of shots depends on. */
export interface ShotsInput {
  readonly production: FrozenProduction;
  readonly account: string;
  /** Of this account, by shot. */
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** With which the production last ended: it says which takes a shot is compared with. */
  readonly status: ProductionStatus | undefined;
  /** The render that would do it: the one under way that it would join, or a new one. */
  readonly renderId: string;
  /** Take keys of the takes whose output is there in full length. */
  readonly whole: ReadonlySet<string>;
  readonly nowMs: number;
}

/** A shot's plan before anybody has asked for its price. */
export type UnpricedShot = Omit<ShotPlan, 'quote'>;

/** Actions that end in a take that is paid for. */
const PAID: ReadonlySet<ShotAction> = new Set(['new', 'changed', 'stale', 'again']);

export function isPaidFor({ action }: Pick<ShotPlan, 'action'>): boolean {
  return PAID.has(action);
}

/** What a render would do with each shot, in the film's order. Pure, by the rules by which takes are claimed. */
export function planShots(input: ShotsInput): readonly UnpricedShot[] {
  const { production, account, takes } = input;
  const shots = new Map(production.shots.map((shot) => [shot.id, shot]));
  const current = currentTakes(account, production, takes);
  const frames = framesOf(takes);
  const planned = new Map<string, UnpricedShot>();

  function plan(shot: FrozenShot): UnpricedShot {
    const links = frameLinks(shot);
    const renewed = links.map((link) => link.shot).filter((id) => isRenewed(planOf(id)));
    const take = current.get(shot.id);
    if (renewed.length === 0 && take !== undefined) {
      const found = planWithTake(shot.id, take, input);
      if (found !== undefined) return found;
    }
    const base = comparedTake(shot.id, input);
    if (base === undefined) return { ...NOTHING, shot: shot.id, action: 'new' };
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
    return {
      ...NOTHING,
      shot: shot.id,
      action: through.length > 0 ? 'stale' : 'changed',
      take: base.take,
      through,
      changes,
    };
  }

  /** Checked productions have no cycles among their links. */
  function planOf(id: string): UnpricedShot | undefined {
    const shot = shots.get(id);
    if (shot !== undefined && !planned.has(id)) planned.set(id, plan(shot));
    return planned.get(id);
  }
  return production.shots.map(({ id }) => planOf(id)).filter((shot) => shot !== undefined);
}

const NOTHING = { take: null, through: [], changes: [], reason: null };

/** A shot that waits may end in any take: what starts on it cannot be reused either. */
function isRenewed(plan: UnpricedShot | undefined): boolean {
  return plan !== undefined && (isPaidFor(plan) || plan.action === 'waits');
}

/** What becomes of the take that answers the ask; undefined for one that was never sent, which is as good as none. */
function planWithTake(
  shot: string,
  history: TakeHistory,
  { renderId, whole, nowMs }: ShotsInput,
): UnpricedShot | undefined {
  const { take, intent } = history;
  const as = (action: ShotAction, reason: string | null = null): UnpricedShot => ({
    ...NOTHING,
    shot,
    action,
    take,
    reason,
  });
  const kept = (): UnpricedShot => as(whole.has(intent.takeKey) ? 'reused' : 'collected');
  const lost = (reason: string): UnpricedShot =>
    as(isOver(history, { renderId, attempt: 1 }) ? 'again' : 'waits', reason);
  const now = standing(history);
  switch (now.is) {
    case 'settled':
      return now.settled.state === 'completed' ? kept() : lost(now.settled.reason ?? 'the gateway gave no reason');
    case 'used':
      return kept();
    case 'accepted':
      return as('collected');
    case 'refused':
      return lost(now.reason);
    case 'unclear':
      return as('waits', now.reason);
    case 'sending':
      return nowMs < now.untilMs ? as('collected') : as('waits', 'nobody has noted an answer to its submit');
    case 'sendable':
      return now.n === 1 ? undefined : as('again', lastTrouble(history));
  }
}

function lastTrouble({ sendings }: TakeHistory): string | null {
  const last = sendings.at(-1);
  return last?.refused?.reason ?? last?.unclear?.reason ?? null;
}

/** The take that stood for the shot when the production last ended, else the newest that anybody sent. */
function comparedTake(shotId: string, { takes, status }: ShotsInput): TakeHistory | undefined {
  const sent = (takes.get(shotId) ?? []).filter(({ sendings }) => sendings.length > 0);
  const last = status?.shots.find(({ id }) => id === shotId)?.takes.at(-1);
  return sent.find(({ intent }) => intent.takeKey === last?.takeKey) ?? sent.at(-1);
}
