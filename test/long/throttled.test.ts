import { film, pictureShot, type Rig, startRig } from '../support/rig';

jest.setTimeout(1_500_000);

/** The gateway's limit, which it does not report. */
const IN_FLIGHT = 5;

/** After this many submits the limit should be learned: a burst, and the first tries for more. */
const LEARNING = 40;
const SHOTS = 160;

describe('a gateway that throttles beyond a number in flight', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 1.5, maxUnfinished: IN_FLIGHT });
  });
  afterAll(() => rig.close());

  async function render(id: string, count: number): Promise<{ readonly perSecond: number; readonly refused: number }> {
    const before = { refused: rig.sandbox.counts().refused, tasks: rig.sandbox.tasks().length };
    const shots = Array.from({ length: count }, (_, index) =>
      pictureShot(`s${index}`, { parameters: { prompt: `${id} s${index}`, width: 64, height: 36 } }),
    );
    const begunAtMs = Date.now();
    const { state } = await rig.render(film(id, shots), { assemble: false, maxInFlight: 16 });
    expect(state).toBe('completed');
    expect(rig.sandbox.tasks().length - before.tasks).toBe(count);
    const perSecond = (count / (Date.now() - begunAtMs)) * 1_000;
    return { perSecond, refused: rig.sandbox.counts().refused - before.refused };
  }

  it('is learned: few submits are throttled then, and throughput is close to that with the right limit', async () => {
    await render('learning', LEARNING);
    const learned = await render('learned', SHOTS);
    await rig.store.account('sandbox').limits.change(() => ({ account: { inFlight: IN_FLIGHT }, models: {} }));
    await rig.client.arbiter.limitsChanged();
    const told = await render('told', SHOTS);
    process.stderr.write(`learned ${JSON.stringify(learned)}, told ${JSON.stringify(told)}\n`);
    expect(learned.refused / (SHOTS + learned.refused)).toBeLessThan(0.02);
    expect(learned.perSecond / told.perSecond).toBeGreaterThan(0.9);
  });
});
