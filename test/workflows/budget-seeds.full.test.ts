import fc from 'fast-check';
import { waitsForPeople } from '../../client';
import { type Decision } from '../../contracts/render/decision';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ProductionStatus } from '../../contracts/status';
import { type FaultName } from '../../sandbox/faults/fault-table';
import { film, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';

/** Each kind of unclear submit strikes once. */
const SEEDS = 6;

/** Productions that run side by side. */
const ABREAST = 6;

const SHOTS = 7;
const IN_FLIGHT = 6;

/** What the sandbox has that costs least: 3 credits a picture, 1 a text. */
type ModelId = 'pixel-image-1' | 'quill-text-1';

/** What may strike the tasks of a seed. */
const TROUBLES: readonly FaultName[] = ['task-fails', 'task-fails', 'task-content-policy', 'refuse-429'];

/** What leaves a submit unclear, charged or not. The account's submits wait after each, so only some seeds have one. */
const UNCLEAR: readonly FaultName[] = ['accept-500', 'refuse-500', 'accept-drop'];
const UNCLEAR_EVERY = 2;

/** A budget that ends in the middle of a film whose shots are in flight side by side, fail, and get lost. */
describe('a budget that ends in the middle of a production', () => {
  let rig: Rig;
  let worker: WorkerProcess;

  beforeAll(async () => {
    rig = await startRig({}, { inProcess: false });
    worker = await startWorkerProcess(rig);
  });
  afterAll(async () => {
    await worker.kill('SIGTERM');
    await rig.close();
  });

  it(`is never crossed by what the gateway charges, on ${SEEDS} seeds; raising it completes the film`, async () => {
    await learnPrices();
    const seeds = Array.from({ length: SEEDS }, (_, seed) => seed);
    const lanes = Array.from({ length: ABREAST }, async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await play(`seed-${seed}`, seed);
    });
    await Promise.all(lanes);
  });

  it('is not crossed by what the gateway charges where a worker is killed in between', async () => {
    await learnPrices();
    rig.sandbox.faults.clear();
    const played = Promise.all([1, 2, 3].map((seed) => play(`killed-${seed}`, seed)));
    for (let kills = 0; kills < 3; kills += 1) {
      const before = rig.sandbox.tasks().length;
      await Promise.race([until(() => rig.sandbox.tasks().length > before + 2), played]);
      await worker.kill('SIGKILL');
      worker = await startWorkerProcess(rig);
    }
    await played;
  });

  /** So that the quotes know them, and many shots are in flight from the beginning. */
  async function learnPrices(): Promise<void> {
    const status = await rig.render(filmOf('prices', ['pixel-image-1', 'quill-text-1']), { assemble: false });
    expect(status.state).toBe('completed');
  }

  async function play(id: string, seed: number): Promise<void> {
    const [models, budget, troubles] = fc.sample(
      fc.tuple(
        fc.array(fc.constantFrom<ModelId>('pixel-image-1', 'quill-text-1'), { minLength: SHOTS, maxLength: SHOTS }),
        fc.integer({ min: 4, max: 14 }),
        fc.array(fc.constantFrom(...TROUBLES), { maxLength: 3 }),
      ),
      { seed, numRuns: 1 },
    )[0]!;
    const lost = seed % UNCLEAR_EVERY === 0 ? (UNCLEAR[(seed / UNCLEAR_EVERY) % UNCLEAR.length] ?? []) : [];
    for (const kind of [...troubles, lost].flat()) {
      rig.sandbox.faults.inject({ kind, count: 1, ...(kind.startsWith('refuse') ? { on: 'submit' as const } : {}) });
    }
    const production = filmOf(id, models);
    const shots = planOf(production).shots.map((shot, index) => ({
      ...shot,
      retryFailed: index % 2,
      onUnclear: index % 3 === 0 ? ('resubmit' as const) : ('park' as const),
    }));
    await rig.start(production, { assemble: false, shots, maxInFlight: IN_FLIGHT, budget: { credits: budget } });

    let credits = budget;
    for (let round = 0; ; round += 1) {
      const status = await standstill(id);
      expect(charges(id)).toBeLessThanOrEqual(credits);
      if (status.state !== 'running') break;
      await answerAll(status, seed + round);
      credits += round === 0 ? 2 : 50;
      await rig.client.setBudget(id, credits).catch(ifEnded);
    }
    expect(await rig.client.ended(id)).toMatchObject({ state: 'completed', budget: { spent: expect.any(Number) } });
    const { budget: figures } = await rig.client.ended(id);
    expect(figures!.spent + figures!.reserved).toBeGreaterThanOrEqual(charges(id));
  }

  /** It has ended, or only people can go on. */
  function standstill(id: string): Promise<ProductionStatus> {
    return until(async () => {
      const status = await rig.client.status(id);
      return status !== undefined && (status.state !== 'running' || waitsForPeople(status)) && status;
    });
  }

  async function answerAll({ production, shots }: ProductionStatus, seed: number): Promise<void> {
    for (const [index, { id, parked }] of shots.entries()) {
      if (parked === null || parked.for === 'budget') continue;
      const decision: Decision = { kind: (seed + index) % 4 === 0 ? 'skip' : 'resubmit' };
      await rig.client.resolve(production, id, decision).catch(ifEnded);
    }
  }

  function ifEnded(error: Error): undefined {
    if (!/not parked|not under way|just ended/.test(error.message)) throw error;
  }

  function filmOf(id: string, models: readonly ModelId[]): FrozenProduction {
    return film(
      id,
      models.map((model, index) => ({
        id: `shot-${index}`,
        model: { id: model, output: model === 'pixel-image-1' ? ('image' as const) : ('text' as const) },
        parameters: { prompt: `${id}: ${index}`, ...(model === 'pixel-image-1' ? { width: 32, height: 18 } : {}) },
        files: {},
      })),
    );
  }

  /** By the gateway's own list, whatever the answer was. */
  function charges(id: string): number {
    return rig.sandbox
      .tasks()
      .filter(({ parameters }) => (parameters as { prompt: string }).prompt.startsWith(`${id}: `))
      .reduce((sum, { credits }) => sum + credits, 0);
  }
});
