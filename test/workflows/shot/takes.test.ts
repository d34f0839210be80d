import { type FrozenProduction } from '../../../contracts/render/frozen';
import { type PlannedShot } from '../../../contracts/render/plan';
import { type ProductionStatus } from '../../../contracts/status';
import { choiceAddress, type TakeHistory } from '../../../store';
import { betaShot, film, linkedShot, type Rig, shotsBy, startRig } from '../../support/rig';

describe('takes side by side', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(() => rig.close());

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  const accepted = (): number => rig.sandbox.tasks().length;

  async function start(production: FrozenProduction, rules: Partial<PlannedShot>): Promise<void> {
    await rig.start(production, { shots: shotsBy(rules, production) });
  }

  async function render(production: FrozenProduction, rules: Partial<PlannedShot>): Promise<ProductionStatus> {
    await start(production, rules);
    return rig.client.ended(production.id);
  }

  const takes = (id: string, shot: string): Promise<readonly TakeHistory[]> => rig.store.ledger.takes(id, shot);

  it('renders all takes, continues from the first that completes, and keeps that choice in later renders', async () => {
    const before = accepted();
    const chain = film('chain', [betaShot('one'), linkedShot('two', 'one')]);
    const status = await render(chain, { takes: 2 });
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    expect(accepted()).toBe(before + 4);
    const [one, two] = status.shots;
    expect(one!.takes.map(({ state }) => state)).toEqual(['completed', 'completed']);
    const chosen = one!.takes.find(({ take }) => take === one!.filmTake);
    expect(await choiceOf(chain, 'one')).toMatchObject({ takeKey: chosen!.takeKey, by: 'first', approved: false });
    // Both takes of the second shot start on the chosen one's last frame.
    for (const { intent } of await takes('chain', 'two')) {
      expect(intent.parameters['startFrame']).toBe(`sha256:${chosen!.lastFrame!.asset.sha256}`);
    }

    const again = await render(chain, { takes: 2, directed: true });
    expect(again.shots.map(({ filmTake }) => filmTake)).toEqual([one!.filmTake, two!.filmTake]);
    expect(again.film).toEqual(status.film);
    expect(accepted()).toBe(before + 4);
  });

  async function choiceOf({ id, shots }: FrozenProduction, shotId: string): Promise<unknown> {
    const shot = shots.find((one) => one.id === shotId)!;
    return rig.store.directing.choice(choiceAddress({ account: 'sandbox', productionId: id, shot, links: [] }));
  }
});
