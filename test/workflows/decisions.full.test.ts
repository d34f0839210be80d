import { productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { type ShotStatus } from '../../contracts/status';
import { type FaultName } from '../../sandbox/faults/fault-table';
import { type FolderStore } from '../../store';
import { betaShot, film, resetProduction, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

/** What may happen between a person's decision and the parked shot. */
describe('a decision', () => {
  let rig: Rig;

  /** While this is set, a recorded decision is not answered. */
  let silence: Promise<void> | undefined;

  beforeAll(async () => {
    const through = (store: FolderStore): FolderStore => {
      const decide: FolderStore['ledger']['decide'] = async (...args) => {
        const isNoted = await store.ledger.decide(...args);
        await silence;
        return isNoted;
      };
      return { ...store, ledger: { ...store.ledger, decide } };
    };
    rig = await startRig({}, { through });
  });

  afterAll(() => rig.close());

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  const parked = (id: string): Promise<ShotStatus> =>
    until(async () => (await rig.client.status(id))?.shots.find(({ state }) => state === 'parked'));

  /** Starts a production whose one shot is parked. */
  async function park(id: string, kind: FaultName = 'accept-500'): Promise<string> {
    rig.sandbox.faults.inject({ kind, count: 1 });
    await rig.start(film(id, [betaShot('one')]), { assemble: false });
    await parked(id);
    return rig.sandbox.tasks().at(-1)?.id ?? '';
  }

  it('is accepted although the gateway answers later than a silent worker is waited for', async () => {
    const taskId = await park('slow');
    rig.sandbox.faults.inject({ kind: 'slow', on: 'read', count: 1, seconds: 6 });
    await rig.client.resolve('slow', 'one', { kind: 'adopt', taskId });
    expect(await rig.client.ended('slow')).toMatchObject({ state: 'completed' });
  });

  it('is confirmed to the caller although the production is cancelled during the check', async () => {
    const taskId = await park('cancelled');
    const asked = rig.sandbox.faults.struck().slow;
    rig.sandbox.faults.inject({ kind: 'slow', on: 'read', count: 1, seconds: 4 });
    const decided = rig.client.resolve('cancelled', 'one', { kind: 'adopt', taskId });
    await until(() => rig.sandbox.faults.struck().slow !== asked);
    await rig.client.cancel('cancelled');
    await decided;
    expect(await rig.client.ended('cancelled')).toMatchObject({ state: 'cancelled' });
    expect((await rig.store.ledger.takes('cancelled', 'one'))[0]?.decisions).toMatchObject([{ kind: 'adopt' }]);
    const before = rig.sandbox.tasks().length;
    expect(await rig.render(film('cancelled', [betaShot('one')]), { assemble: false })).toMatchObject({
      state: 'completed',
    });
    expect(rig.sandbox.tasks()).toHaveLength(before);
  });

  it('that was recorded but not answered in time is not reported as failed, and the shot follows it', async () => {
    await park('silent');
    const before = rig.sandbox.tasks().length;
    let speak = (): void => undefined;
    silence = new Promise<void>((resolve) => (speak = resolve));
    const decided = rig.client.resolve('silent', 'one', { kind: 'resubmit' });
    await expect(decided).rejects.toThrow('it is unknown whether the decision was recorded');
    silence = undefined;
    speak();
    expect(await rig.client.ended('silent')).toMatchObject({ state: 'completed' });
    expect(rig.sandbox.tasks()).toHaveLength(before + 1);
    expect((await rig.store.ledger.takes('silent', 'one'))[0]?.decisions).toMatchObject([{ kind: 'resubmit' }]);
  });

  it('to skip a shot can be taken back although another version of the shot was rendered meanwhile', async () => {
    const version = (prompt: string) => betaShot('one', { parameters: { ...betaShot('one').parameters, prompt } });
    const render = (prompt: string): ReturnType<Rig['render']> =>
      rig.render(film('versions', [version(prompt)]), { assemble: false });
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const first = render('a storm');
    await parked('versions');
    await rig.client.resolve('versions', 'one', { kind: 'skip' });
    await first;
    expect(await render('a calm')).toMatchObject({ shots: [{ state: 'completed' }] });
    expect(await render('a storm')).toMatchObject({ shots: [{ state: 'skipped' }] });
    expect(await rig.client.resolve('versions', 'one', { kind: 'resubmit' })).toEqual({ goesOn: false });
    expect(await render('a storm')).toMatchObject({ shots: [{ state: 'completed' }] });
  });

  describe('after a reset of the production, whose shot keeps waiting', () => {
    it('is waited for as before', async () => {
      const taskId = await park('reset');
      await resetProduction(rig, 'reset');
      expect(await parked('reset')).toMatchObject({ parked: { for: 'unclear' } });
      await rig.client.resolve('reset', 'one', { kind: 'adopt', taskId });
      expect(await rig.client.ended('reset')).toMatchObject({ state: 'completed' });
    });

    it('is looked up when the shot ends, and more and more rarely before', async () => {
      await park('reset-long');
      await resetProduction(rig, 'reset-long');
      const production = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'reset-long'));
      const timers = async () => {
        const { events } = await production.fetchHistory();
        const started = (events ?? []).flatMap(({ timerStartedEventAttributes: one }) => one ?? []);
        const cancelled = (events ?? []).flatMap(({ timerCanceledEventAttributes: one }) => one?.timerId ?? []);
        return started.map(({ timerId, startToFireTimeout }) => ({
          seconds: Number(startToFireTimeout?.seconds),
          isCancelled: timerId != null && cancelled.includes(timerId),
        }));
      };
      await until(async () => (await timers()).some(({ seconds }) => seconds === 8));
      await rig.client.resolve('reset-long', 'one', { kind: 'skip' });
      expect(await rig.client.ended('reset-long')).toMatchObject({ shots: [{ state: 'skipped' }] });
      const all = await timers();
      expect(all.filter(({ seconds }) => seconds === 8)).toEqual([{ seconds: 8, isCancelled: true }]);
    });

    it('is no longer waited for once the production is cancelled', async () => {
      await park('reset-cancelled');
      await resetProduction(rig, 'reset-cancelled');
      await parked('reset-cancelled');
      await rig.client.cancel('reset-cancelled');
      expect(await rig.client.ended('reset-cancelled')).toMatchObject({ state: 'cancelled' });
      const shot = rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, 'reset-cancelled', 'one'));
      await until(async () => (await shot.describe()).status.name !== 'RUNNING');
    });
  });
});
