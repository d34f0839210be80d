import { type Injection } from '../../sandbox';
import { type GateClosing } from '../../store';
import { betaShot, film, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

const SHOTS = Array.from({ length: 4 }, (_, index) => betaShot(`shot-${index}`));

describe('an outage of the gateway', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(async () => {
    await rig.close();
  });

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  const gate = (): Promise<GateClosing | undefined> => rig.store.account('sandbox').gate.read();

  async function sentTakes(id: string): Promise<number> {
    const takes = await Promise.all(SHOTS.map((shot) => rig.store.ledger.takes(id, shot.id)));
    return takes.flat().filter(({ sendings }) => sendings.length > 0).length;
  }

  async function stateCount(id: string, state: string): Promise<number> {
    return (await rig.client.status(id))?.shots.filter((shot) => shot.state === state).length ?? 0;
  }

  it.each<[string, Injection, number]>([
    ['in which everything is answered with a page', { kind: 'garbage', share: 1 }, 0],
    ['in which everything is answered with 500', { kind: 'refuse-500', share: 1 }, 0],
    ['that only submits meet', { kind: 'refuse-500', share: 1, on: 'submit' }, 2],
  ])('%s makes one take unclear, and one more for each try; then the film goes on', async (_what, fault, tries) => {
    const id = `outage-${fault.kind}-${fault.on ?? 'all'}`;
    rig.sandbox.faults.inject(fault);
    const one = film(id, SHOTS);
    await rig.start(one, { ...planOf(one), maxInFlight: 1, assemble: false });
    const unclear = 1 + tries;
    await until(async () => (await gate())?.failures === unclear);
    if (tries === 0) {
      // When the next try was due, a failed read held it back.
      await until(async () => {
        const shots = (await rig.client.status(id))?.shots ?? [];
        return shots.some(({ reason }) => /submits wait since .* GET /.test(reason ?? ''));
      });
    }
    expect(await sentTakes(id)).toBe(unclear);

    rig.sandbox.faults.clear();
    await until(async () => (await stateCount(id, 'completed')) === SHOTS.length - unclear);
    expect(await gate()).toBeUndefined();
    expect(await stateCount(id, 'parked')).toBe(unclear);
    await rig.client.cancel(id);
    await rig.client.ended(id);
  });
});
