import { carriedFrames, describedParameters } from '../../activities/request/task-parameters';
import { type LinkedFrame } from '../../contracts/activities';
import { type AssetRef } from '../../contracts/asset';
import { frameLinks } from '../../contracts/file/frame-links';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ProductionStatus } from '../../contracts/status';
import { type ShotsInput } from '../../client/plan/plan-shots';
import { askKey, hashOf, takeKey, takesOfAsk, type TakeHistory } from '../../store';
import { AT, intent, sent, settled } from '../support/ledger-fixtures';

const ACCOUNT = 'sandbox';

export type Takes = ReadonlyMap<string, readonly TakeHistory[]>;

export interface Rendered {
  readonly takes: Takes;
  readonly status: ProductionStatus;
  /** Takes that this render paid for. */
  readonly paid: number;
}

/** An asset of made-up bytes. */
export function asset(bytes: string, mediaType = 'video/mp4'): AssetRef {
  return { sha256: hashOf(bytes), sizeBytes: 1, mediaType, durationSeconds: 4, width: 1, height: 1 };
}

/** The records after a render in which every task completed. Shots link only to earlier shots. */
export async function simulateRender(
  production: FrozenProduction,
  { takes }: { readonly takes: Takes } = { takes: new Map() },
  renderId = `render-${Math.random()}`,
): Promise<Rendered> {
  const books = new Map(takes);
  const used = new Map<string, TakeHistory>();
  let paid = 0;
  for (const shot of production.shots) {
    const links = frameLinks(shot).map(({ shot: from, frame }): LinkedFrame => {
      const { intent: of, output } = used.get(from)!;
      const picture = frame === 'last' ? output!.lastFrame!.asset : output!.firstFrame!;
      const corrected = asset(`corrected ${of.takeKey}`, 'image/png');
      return { shot: from, frame, takeKey: of.takeKey, asset: picture, corrected };
    });
    const known = books.get(shot.id) ?? [];
    const ask = askKey({ account: ACCOUNT, productionId: production.id, shot, links });
    const same = takesOfAsk(known, ask);
    let take = same.at(-1);
    if (take?.output === undefined) {
      const key = takeKey(ask, same.length);
      const parameters = await describedParameters(production, shot, links);
      const claimed = { takeKey: key, askKey: ask, count: same.length, renderId, model: shot.model, parameters };
      const carried = carriedFrames(shot, links);
      take = completed(known.length + 1, intent({ ...claimed, ...carried, account: ACCOUNT }));
      books.set(shot.id, [...known, take]);
      paid += 1;
    }
    used.set(shot.id, take);
  }
  return { takes: books, status: statusOf(production, used, renderId), paid };
}

/** The input of a plan after that render. */
export function inputAfter(production: FrozenProduction, { takes, status }: Omit<Rendered, 'paid'>): ShotsInput {
  const all = [...takes.values()].flat();
  return {
    production,
    account: ACCOUNT,
    takes,
    choices: new Map(),
    written: undefined,
    status,
    policies: new Map(),
    joined: undefined,
    storedTakeKeys: new Set(all.filter(({ output }) => output !== undefined).map((take) => take.intent.takeKey)),
    nowMs: Date.parse(AT),
  };
}

function completed(take: number, claimed: TakeHistory['intent']): TakeHistory {
  const { takeKey: key } = claimed;
  return {
    take,
    intent: claimed,
    sendings: [{ n: 1, sent: sent(), accepted: { taskId: `task-${key}`, at: AT } }],
    decisions: [],
    settled: settled('completed', `task-${key}`),
    output: {
      taskId: `task-${key}`,
      asset: asset(`clip ${key}`),
      firstFrame: asset(`first ${key}`, 'image/png'),
      lastFrame: { asset: asset(`last ${key}`, 'image/png'), source: 'clip' },
      warnings: [],
    },
  };
}

function statusOf(
  production: FrozenProduction,
  used: ReadonlyMap<string, TakeHistory>,
  renderId: string,
): ProductionStatus {
  return {
    production: production.id,
    title: production.title,
    state: 'completed',
    renderId,
    frozen: asset(JSON.stringify(production), 'application/json'),
    shots: production.shots.map(({ id, model }) => {
      const { take, intent: of, output } = used.get(id)!;
      const progress = { take, takeKey: of.takeKey, state: 'completed' as const, taskId: 'task', credits: 12 };
      const shot = { id, model: model.id, state: 'completed' as const, reason: null, parked: null };
      return {
        ...shot,
        review: null,
        takes: [{ ...progress, ...output! }],
        filmTake: take,
        startedAt: AT,
        endedAt: AT,
      };
    }),
    film: asset('film'),
    assembly: 'completed',
    reason: null,
    startedAt: AT,
    endedAt: AT,
  };
}
