import { knownProduction, type Proposal, proposeRetake } from '../../client/directing';
import { readFrozen } from '../../client/read-frozen';
import { type RenderRequest } from '../../client';
import { type FrozenProduction } from '../../contracts/frozen';
import { type PlannedShot } from '../../contracts/plan';
import { type ProductionStatus } from '../../contracts/status';
import { createDirecting, createQuotes } from '../../store';
import { film, pictureShot, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

const ACCOUNT = 'sandbox';
const REVIEWED = { review: { withinSeconds: null, otherwise: 'approve' as const } };

/** What several people, or several terminals, have a production do within the same moment. */
describe('a production that several commands direct', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 1 });
  });

  afterAll(() => rig.close());

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  async function requestFor(production: FrozenProduction, rules: Partial<PlannedShot> = {}): Promise<RenderRequest> {
    const plan = planOf(production, { assemble: false });
    const shots = plan.shots.map((shot) => ({ ...shot, ...rules }));
    return { productionId: production.id, production: await rig.store.putJson(production), plan: { ...plan, shots } };
  }

  async function proposed(id: string, shotId: string): Promise<Proposal> {
    const quotes = createQuotes(rig.store.records, ACCOUNT, {});
    const policy = { fileValues: 'auto' as const, dataUriMaxBytes: 20_000_000 };
    const known = await knownProduction(rig.store, ACCOUNT, id);
    const context = { store: rig.store, account: ACCOUNT, quotes, policy };
    const proposal = await proposeRetake(context, known, shotId, { prompt: `better ${shotId}` });
    if ('issues' in proposal) throw new Error(JSON.stringify(proposal.issues));
    return proposal;
  }

  async function carryOut(proposal: Proposal): Promise<{ readonly revised: boolean }> {
    return rig.client.direct(await proposal.change(), proposal.again);
  }

  async function statusWhen(id: string, isSo: (status: ProductionStatus) => boolean): Promise<ProductionStatus> {
    return until(async () => {
      const status = await rig.client.status(id);
      return status !== undefined && isSo(status) && status;
    });
  }

  const inReview = ({ shots }: ProductionStatus): boolean => shots.every(({ state }) => state === 'review');
  const direction = (id: string, shot: string): Promise<unknown> =>
    createDirecting(rig.store.records).direction(id, shot);

  async function prompts({ frozen }: ProductionStatus): Promise<readonly unknown[]> {
    return (await readFrozen(rig.store.assets, frozen)).shots.map(({ parameters }) => parameters['prompt']);
  }

  async function approveAll(id: string): Promise<ProductionStatus> {
    const { shots } = await statusWhen(id, inReview);
    for (const shot of shots) await rig.client.approve(id, shot.id, null);
    return rig.client.ended(id);
  }

  it('refuses what was worked out before another change was carried out, and notes nothing of it', async () => {
    await rig.client.render(await requestFor(film('two', [pictureShot('a'), pictureShot('b')]), REVIEWED));
    await statusWhen('two', inReview);
    const [one, two] = [await proposed('two', 'a'), await proposed('two', 'b')];
    await carryOut(one);
    await expect(carryOut(two)).rejects.toThrow(/changed meanwhile/);
    expect(await direction('two', 'b')).toBeUndefined();
    await carryOut(await proposed('two', 'b'));
    expect(await prompts(await approveAll('two'))).toEqual(['better a', 'better b']);
  });
});
