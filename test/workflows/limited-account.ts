import { type ArbiterView } from '../../contracts/gateway/arbiter';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type LimitSet } from '../../contracts/gateway/limits';
import { type PlannedShot, type ProductionPlan } from '../../contracts/render/plan';
import { film, pictureShot, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

/** What the sandbox takes for a picture; the workers' table has it. */
export const PICTURE = 3;

/** The account whose limits the arbiter's tests set. Each test file that imports this module starts its own rig. */
export let rig: Rig;

beforeAll(async () => {
  // Some tasks take longer if places are counted, so that all places are in use at once, however slow submits are.
  const renderSeconds = ({ parameters }: { parameters: unknown }): number =>
    /^(one|lost|reset|handed): s[012]$/.test((parameters as { prompt: string }).prompt) ? 6 : 1;
  rig = await startRig({ renderSeconds }, { prices: { 'pixel-image-1': { perTask: PICTURE } } });
});

// A failed test must free the places for the others.
afterEach(async () => {
  rig.sandbox.faults.clear();
  await settleEndless();
  await limit({});
});

afterAll(() => rig.close());

export const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);

export const picture = (id: string, name: string): FrozenShot =>
  pictureShot(name, { parameters: { prompt: `${id}: ${name}`, width: 64, height: 36 } });

const pictures = (id: string, count: number): FrozenProduction =>
  film(
    id,
    names(count).map((name) => picture(id, name)),
  );

/** All tasks are submitted: an executed task that never ends would be unclear. */
export const begin = (
  id: string,
  count: number,
  plan: Partial<ProductionPlan> = {},
  rules: Partial<PlannedShot> = {},
): Promise<void> => {
  const production = pictures(id, count);
  const shots = planOf(production).shots.map((shot) => ({ ...shot, mode: 'submit' as const, ...rules }));
  return rig.start(production, { assemble: false, maxInFlight: count, shots, ...plan });
};

export async function limit(account: LimitSet, models: Record<string, LimitSet> = {}): Promise<void> {
  await rig.store.account('sandbox').limits.change(() => ({ account, models }));
  await rig.client.arbiter.limitsChanged();
}

export async function view(): Promise<ArbiterView> {
  return until(() => rig.client.arbiter.view());
}

/** Waits for at least this many, since exact numbers may be missed: tasks end meanwhile. */
export const someWait = (count = 1): Promise<ArbiterView> =>
  until(async () => {
    const now = await view();
    return now.waiting.length >= count && now;
  });

/** In the order in which the sandbox accepted them. */
export const prompts = (id: string): readonly string[] =>
  rig.sandbox
    .tasks()
    .map(({ parameters }) => (parameters as { prompt: string }).prompt)
    .filter((prompt) => prompt.startsWith(`${id}: `));

/** The largest number of tasks since a moment that were unfinished at once, by the sandbox's times. */
export function mostUnfinished(...ids: readonly string[]): number {
  const tasks = rig.sandbox.tasks().filter(({ parameters }) => {
    const { prompt } = parameters as { prompt: string };
    return ids.some((id) => prompt.startsWith(`${id}: `));
  });
  const at = (time: string): number =>
    tasks.filter(({ acceptedAt, finishedAt }) => acceptedAt <= time && (finishedAt === null || finishedAt > time))
      .length;
  return Math.max(0, ...tasks.map(({ acceptedAt }) => at(acceptedAt)));
}

export async function completed(...ids: readonly string[]): Promise<void> {
  const ended = await Promise.all(ids.map((id) => rig.client.ended(id)));
  expect(ended.map(({ state }) => state)).toEqual(ids.map(() => 'completed'));
}

/** Records an end for a task that never ends. */
export async function settle(productionId: string, shotId: string): Promise<void> {
  const { taskId } = await until(async () => {
    const [take] = await rig.store.ledger.takes(productionId, shotId);
    return take?.sendings.at(-1)?.accepted;
  });
  const ended = { state: 'failed' as const, credits: 0, reason: 'content_policy', text: null, raw: null };
  await rig.store.ledger.settle({ productionId, shotId, take: 1 }, { ...ended, taskId, at: new Date().toISOString() });
}

/** The same for all of them. */
export async function settleEndless(): Promise<void> {
  const endless = rig.sandbox.tasks().filter(({ fate, finishedAt }) => fate === 'never-ends' && finishedAt === null);
  const prompted = endless.map(({ parameters }) => (parameters as { prompt: string }).prompt.split(': '));
  await Promise.all(prompted.map(([id = '', name = '']) => settle(id, name)));
}
