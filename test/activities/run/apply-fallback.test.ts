import { storedJson } from '../../../activities/stored-json';
import { type AppliedFallback } from '../../../contracts/activities';
import { type FrozenProduction, type FrozenShot } from '../../../contracts/render/frozen';
import { type Fallback } from '../../../contracts/render/plan';
import { askKey, type Directing, type LedgerDecision, shotDigest } from '../../../store';
import { type ActivityBench, startBench } from '../../support/activity-bench';
import { AT, intent, sent } from '../../support/ledger-fixtures';
import { betaShot, film, planOf } from '../../support/rig';
import { acceptAll, type ScriptedGateway, startScriptedGateway } from '../../support/scripted-gateway';

/** Which shots use their file's fallback, depending on the ledger and on decisions. */
describe('rendering by the fallback', () => {
  const production: FrozenProduction = film('film', [betaShot('dawn'), betaShot('dusk')]);
  const [dawn, dusk] = production.shots as [FrozenShot, FrozenShot];
  const take = { productionId: 'film', shotId: 'dawn', take: 1 };
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let directing: Directing;

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    bench = await startBench(gateway.url, 'key', production);
    directing = bench.store.directing;
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  const lower = (shot: FrozenShot): FrozenShot => ({ ...shot, parameters: { ...shot.parameters, duration: 6 } });

  async function apply(activities = bench.activities()): Promise<AppliedFallback> {
    const plan = planOf(production);
    const fallback: Fallback = {
      version: 1,
      shots: production.shots.map((shot, index) => {
        const lowered = lower(shot);
        return { shot: lowered, planned: { ...plan.shots[index]!, digest: shotDigest(lowered) } };
      }),
    };
    return bench.run(activities.decisions.applyFallback, {
      productionId: 'film',
      production: bench.production,
      written: bench.production,
      plan: await bench.store.putJson(plan),
      fallback: await bench.store.putJson(fallback),
      renderId: 'render-2',
      shots: ['dawn', 'dusk'],
      standing: {},
    });
  }
  const wished = (): Promise<unknown> =>
    bench.store.ledger.intend(
      take,
      intent({
        askKey: askKey({ account: 'account', productionId: 'film', shot: dawn, links: [] }),
        account: 'account',
      }),
    );
  const skip: LedgerDecision = { kind: 'skip', by: 'person', afterSending: 0, parkedFor: 'budget', at: AT };

  it('is recorded for each shot of which nothing was sent', async () => {
    await wished();
    expect(await apply()).toMatchObject({ shots: [{ id: 'dawn' }, { id: 'dusk' }], left: [] });
    expect(await directing.direction('film', 'dusk')).toMatchObject({ by: 'deadline', of: shotDigest(dusk) });
  });

  it('leaves a shot that was sent, since it may be paid for', async () => {
    await wished();
    await bench.store.ledger.beginSending(take, 1, sent());
    expect(await apply()).toMatchObject({ shots: [{ id: 'dusk' }], left: [{ shot: 'dawn' }] });
  });

  it('leaves a shot that a person skipped before it was sent', async () => {
    await wished();
    await bench.store.ledger.decide(take, 1, skip);
    expect(await apply()).toMatchObject({ shots: [{ id: 'dusk' }], left: [{ shot: 'dawn' }] });
    expect(await directing.direction('film', 'dawn')).toBeUndefined();
  });

  it('leaves a shot that a person has directed, even if the production does not follow yet', async () => {
    const directed = {
      of: shotDigest(dawn),
      shot: { ...dawn, parameters: { ...dawn.parameters, prompt: 'a red dawn' } },
    };
    await directing.direct('film', 'dawn', directed);
    expect(await apply()).toMatchObject({
      shots: [{ id: 'dusk' }],
      left: [{ shot: 'dawn', reason: 'a person has just directed it' }],
    });
    expect(await directing.direction('film', 'dawn')).toMatchObject(directed);
  });

  it('leaves a shot that a person directs while the fallback is applied, and applies it to the others', async () => {
    const directed = {
      of: shotDigest(dawn),
      shot: { ...dawn, parameters: { ...dawn.parameters, prompt: 'a red dawn' } },
    };
    let stored = 0;
    const putJson: typeof bench.store.putJson = async (value) => {
      stored += 1;
      if (stored === 1) await directing.direct('film', 'dawn', directed);
      return bench.store.putJson(value);
    };
    const applied = await apply(bench.activities('account', { ...bench.store, putJson }));
    expect(applied).toMatchObject({
      shots: [{ id: 'dusk' }],
      left: [{ shot: 'dawn', reason: 'a person has just directed it' }],
    });
    expect(await directing.direction('film', 'dawn')).toMatchObject(directed);
    expect(await directing.directions('film', 'dusk')).toHaveLength(1);
    const { shots } = (await storedJson(bench.store, applied.production, 'the production')) as FrozenProduction;
    expect(shots.map(({ parameters }) => parameters['duration'] === 6)).toEqual([false, true]);
  });

  it('records nothing if the changed production cannot be stored, since the shots are then rendered as written', async () => {
    const putJson = () => Promise.reject(new Error('the disk is full'));
    await expect(apply(bench.activities('account', { ...bench.store, putJson }))).rejects.toThrow('the disk is full');
    expect(await directing.direction('film', 'dawn')).toBeUndefined();
  });

  it('has the same result when recorded twice', async () => {
    const first = await apply();
    expect(await apply()).toEqual(first);
  });
});
