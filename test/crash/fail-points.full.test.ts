import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { type StorePoint } from '../../drill/fail-points';
import { type WirePoint } from '../../drill/wire';
import { betaShot, film } from '../support/rig';
import { startStrikes, type Strikes } from './strikes';

/** Each test kills a real worker process at one named point, lets another take over, and checks all three sides. */

let strikes: Strikes;

beforeAll(async () => {
  strikes = await startStrikes();
});

afterEach(() => strikes.leaveOne());

afterAll(() => strikes.close());

describe('a worker killed while the ledger knows what the gateway has', () => {
  it.each<StorePoint>([
    'before-intent',
    'intent-durable',
    'before-sent',
    'answer-durable',
    'claim-durable',
    'accepted-durable',
    'settled-durable',
    'before-commit',
    'output-durable',
  ])('%s: another one goes on, and one task is accepted', async (point) => {
    const production = oneShot(point);
    await strikes.struckAt(point, production);
    await strikes.another();
    await strikes.completed(production);
    await expectSentOnce(production);
  });

  it.each<WirePoint>(['after-answer', 'download-half'])(
    '%s: another one goes on, and one task is accepted',
    async (point) => {
      const production = oneShot(point);
      await strikes.struckOnWire(point, production);
      await strikes.another();
      await strikes.completed(production);
      await expectSentOnce(production);
    },
  );

  it.each<StorePoint>(['answer-durable', 'settled-durable'])(
    '%s, by execute: another worker continues with the recorded answer',
    async (point) => {
      const words: FrozenShot = {
        id: point,
        model: { id: 'quill-text-1', output: 'text' },
        parameters: { prompt: 'A lighthouse' },
        files: {},
      };
      const task: FrozenProduction = { version: 1, id: GENERATIONS, title: 'Words', shots: [words] };
      const { ended } = await strikes.struckExecuting(point, task);
      await strikes.another();
      expect(await ended).toMatchObject({ state: 'completed', output: { asset: { mediaType: 'text/plain' } } });
      await expectSentOnce(task);
    },
  );

  it('assembly-half: another worker makes the film, and nothing is paid again', async () => {
    const production = film('assembly-half', [betaShot('a'), betaShot('b')]);
    await strikes.struckAt('assembly-half', production);
    expect(await strikes.accepted(production)).toHaveLength(2);
    await strikes.another();
    await strikes.completed(production);
    expect(await strikes.accepted(production)).toHaveLength(2);
  });
});

describe('a worker killed while nothing shows what the gateway has', () => {
  it('sent-durable: the shot is parked, nothing was accepted, and only a decision sends it again', async () => {
    const production = oneShot('sent-durable');
    await strikes.struckAt('sent-durable', production);
    await expectSentAgainByDecision(production);
  });

  it('decision-durable: another worker treats the decision as made, and resends once', async () => {
    const production = oneShot('decision-durable');
    await strikes.struckAt('sent-durable', production);
    const deciding = await strikes.another();
    await strikes.parkedAsUnclear(production);
    deciding.arm({ point: 'decision-durable', count: 1, action: 'kill' });
    const decided = strikes.decide(production, { kind: 'resubmit' });
    expect(await deciding.ended).toBe('SIGKILL');
    await strikes.another();
    await decided;
    await strikes.completed(production);
    expect(await strikes.accepted(production)).toHaveLength(1);
    expect((await strikes.takes(production)).map(({ decisions }) => decisions.length)).toEqual([1]);
  });

  it('bytes-half-sent: the shot is parked, nothing was accepted, and only a decision sends it again', async () => {
    const production = oneShot('bytes-half-sent');
    await strikes.struckOnWire('bytes-half-sent', production);
    await expectSentAgainByDecision(production);
  });

  it('accepted-unread: the shot is parked, and adopting what the gateway has completes it with one charge', async () => {
    const production = oneShot('accepted-unread');
    await strikes.struckOnWire('accepted-unread', production);
    await strikes.another();
    await strikes.parkedAsUnclear(production);
    const [task] = await strikes.accepted(production);
    await strikes.decide(production, { kind: 'adopt', taskId: task!.id });
    await strikes.completed(production);
    await expectSentOnce(production);
  });
});

function oneShot(id: string): FrozenProduction {
  return film(id, [betaShot('a')]);
}

async function expectSentOnce(production: FrozenProduction): Promise<void> {
  expect(await strikes.accepted(production)).toHaveLength(1);
  expect((await strikes.takes(production)).map(({ sendings }) => sendings.length)).toEqual([1]);
}

async function expectSentAgainByDecision(production: FrozenProduction): Promise<void> {
  await strikes.another();
  await strikes.parkedAsUnclear(production);
  expect(await strikes.accepted(production)).toHaveLength(0);
  await strikes.decide(production, { kind: 'resubmit' });
  await strikes.completed(production);
  expect(await strikes.accepted(production)).toHaveLength(1);
  const [take] = await strikes.takes(production);
  expect(take).toMatchObject({ sendings: [{ n: 1 }, { n: 2 }], decisions: [{ kind: 'resubmit', by: 'person' }] });
}
