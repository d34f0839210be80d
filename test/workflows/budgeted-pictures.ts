import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type ProductionStatus } from '../../contracts/status';
import { waitsForPeople } from '../../client';
import { film, type Rig, shotsBy, startRig } from '../support/rig';
import { until } from '../support/until';

/** What the sandbox takes for a picture; the workers' table has it. */
export const PICTURE = 3;

/** Productions of pictures with a budget. Each test file that imports this module starts its own rig. */
export let rig: Rig;

beforeAll(async () => {
  rig = await startRig({}, { prices: { 'pixel-image-1': { perTask: PICTURE } } });
});

afterAll(() => rig.close());

afterEach(() => {
  rig.sandbox.faults.clear();
});

export function picture(id: string, production: string, changes: Partial<FrozenShot> = {}): FrozenShot {
  return {
    id,
    model: { id: 'pixel-image-1', output: 'image' },
    parameters: { prompt: `${production}: ${id}`, width: 64, height: 36 },
    files: {},
    ...changes,
  };
}

export const pictures = (id: string, ...names: readonly string[]): FrozenProduction =>
  film(
    id,
    names.map((name) => picture(name, id)),
  );

type Rules = Partial<ProductionPlan['shots'][number]>;

export function begin(
  production: FrozenProduction,
  credits: number | undefined,
  rules: Rules = {},
  plan = {},
): Promise<void> {
  const shots = shotsBy(rules, production);
  const budget = credits === undefined ? {} : { budget: { credits } };
  return rig.start(production, { assemble: false, shots, ...budget, ...plan });
}

export const waiting = (id: string): Promise<ProductionStatus> =>
  until(async () => {
    const status = await rig.client.status(id);
    return status !== undefined && waitsForPeople(status) && status;
  });

/** The tasks of a production that the gateway has accepted, by its own list. */
export const tasks = (id: string): readonly { readonly prompt: string; readonly credits: number }[] =>
  rig.sandbox
    .tasks()
    .map(({ parameters, credits }) => ({ prompt: (parameters as { prompt: string }).prompt, credits }))
    .filter(({ prompt }) => prompt.startsWith(`${id}:`));

export const charges = (id: string): number => tasks(id).reduce((sum, { credits }) => sum + credits, 0);

export const states = ({ shots }: ProductionStatus): readonly string[] => shots.map(({ state }) => state);
