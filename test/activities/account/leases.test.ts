import { type SubmitOutcome, type TaskInput } from '../../../contracts/activities';
import { type ArbiterLine, type Lease, type LeaseAsk, type LeaseNews } from '../../../contracts/gateway/arbiter';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import { ADDRESS, AT, sent, settled } from '../../support/ledger-fixtures';
import { acceptAll, json, type ScriptedGateway, startScriptedGateway } from '../../support/scripted-gateway';
import { recordsOf, withRecords } from '../../support/store-records';

const RUN = 'the run of an arbiter';

/** The arbiter's mailbox without an arbiter: the test gives the leases. */
interface Line extends ArbiterLine {
  readonly asked: LeaseAsk[];
  readonly told: LeaseNews[];
  isCut: boolean;
}

function openLine(): Line {
  const line: Line = {
    arbiter: 'the arbiter',
    asked: [],
    told: [],
    isCut: false,
    ask(ask) {
      if (line.isCut) return Promise.reject(new Error('no connection'));
      line.asked.push(ask);
      return Promise.resolve();
    },
    tell(news) {
      line.told.push(news);
      return Promise.resolve();
    },
  };
  return line;
}

describe('a submit while limits are in force', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let line: Line;

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    bench = await startBench(gateway.url, 'key', oneShotFilm());
    line = openLine();
    await bench.store.account('account').limits.change(() => ({ account: { inFlight: 1 }, models: {} }));
    await bench.store.account('account').epochs.begin(RUN, null);
  });
  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  function submit(lease?: Lease, changes: Partial<TaskInput> = {}): Promise<SubmitOutcome> {
    const { submitTask } = bench.activities('account', bench.store, line).submits;
    return bench.run(submitTask, { ...bench.input, ...changes, ...(lease === undefined ? {} : { lease }) });
  }
  /** For the last request. */
  function granted(changes: Partial<Lease> = {}): Lease {
    const { takeKey, sending } = line.asked.at(-1) ?? { takeKey: '', sending: 0 };
    return { takeKey, sending, epoch: 1, runId: RUN, useBy: new Date(Date.now() + 60_000).toISOString(), ...changes };
  }
  /** The first sending, as if the gateway were down. */
  async function refusedForNow(): Promise<void> {
    const { ledger } = bench.store;
    await ledger.beginSending(ADDRESS, 1, { ...sent(), lease: { sending: 1, deadlineSeconds: 3_600 } });
    await ledger.endSending(ADDRESS, 1, { kind: 'refused', record: { again: true, reason: 'no connection', at: AT } });
  }
  const sendings = async () => (await bench.store.ledger.take(ADDRESS))?.sendings ?? [];

  it('requests a lease, and sends once it has one', async () => {
    expect(await submit()).toMatchObject({ state: 'unleased', wanted: { sending: 1 }, isAsked: true });
    expect(gateway.posts()).toHaveLength(0);
    expect(line.asked).toMatchObject([{ productionId: 'film', shotId: 'dawn', take: 1, sending: 1, still: [] }]);
    expect(await submit(granted())).toMatchObject({ state: 'accepted', taskId: 'task-1' });
    expect((await sendings())[0]?.sent?.lease).toEqual({ sending: 1, deadlineSeconds: 3_600 });
    expect(line.told).toEqual([]);
  });

  it.each<[string, Partial<Lease>]>([
    ['is of another take', { takeKey: 'f'.repeat(64) }],
    ['is past its time', { useBy: AT }],
    ['is of an arbiter that was reset', { runId: 'another run' }],
    ['is of an epoch that never was', { epoch: 7 }],
  ])('sends nothing by a lease that %s', async (_why, changes) => {
    await submit();
    expect(await submit(granted(changes))).toMatchObject({ state: 'unleased', isAsked: true });
    expect(gateway.posts()).toHaveLength(0);
  });

  it('sends nothing if it stalled while it asked again for permission', async () => {
    const records = recordsOf(bench.store);
    const read: typeof records.read = async (key) => {
      const isNoted = (await sendings()).length > 0;
      if (isNoted && key.includes('epoch-')) await new Promise((resolve) => setTimeout(resolve, 3_200));
      return records.read(key);
    };
    await submit();
    const { submitTask } = bench.activities('account', withRecords(bench.store, { read }), line).submits;
    const stalled = bench.run(submitTask, { ...bench.input, lease: granted() });
    await expect(stalled).rejects.toMatchObject({ type: 'WorkerStalled', nonRetryable: false });
    expect(gateway.posts()).toHaveLength(0);
    expect((await sendings())[0]?.refused).toMatchObject({ again: true });
  });

  it('sends nothing by a lease whose epoch ends right before the request', async () => {
    const { ledger } = bench.store;
    const beginSending: typeof ledger.beginSending = async (...args) => {
      const isOurs = await ledger.beginSending(...args);
      await bench.store.account('account').epochs.begin('another run', null);
      return isOurs;
    };
    await submit();
    const { submitTask } = bench.activities(
      'account',
      { ...bench.store, ledger: { ...ledger, beginSending } },
      line,
    ).submits;
    expect(await bench.run(submitTask, { ...bench.input, lease: granted() })).toMatchObject({
      state: 'unleased',
      wanted: { sending: 2 },
    });
    expect(gateway.posts()).toHaveLength(0);
    expect(line.asked.at(-1)).toMatchObject({ sending: 2, still: [], refused: { epoch: 1, runId: RUN } });
  });

  it('resends with its lease a task that was refused for now', async () => {
    await submit();
    const lease = granted();
    await refusedForNow();
    expect(await submit(lease)).toMatchObject({ state: 'accepted' });
    expect((await sendings()).map(({ sent }) => sent?.lease?.sending)).toEqual([1, 1]);
    expect(line.told).toEqual([]);
  });

  it.each([
    ['a gateway that is down', 503, 'GatewayDown'],
    ['a gateway that refuses the key', 401, 'KeyRefused'],
  ])('requests no other lease after %s', async (_what, status, type) => {
    gateway.answer = (_request, response) => json(response, status, {}, { 'retry-after': '5' });
    await submit();
    await expect(submit(granted())).rejects.toMatchObject({ type, nextRetryDelay: 5_000 });
    expect(line.asked).toHaveLength(1);
  });

  it.each([
    ['that was throttled', 429],
    ['for which there were no credits', 402],
  ])('sends nothing more with the lease of a sending %s, although its attempt was lost', async (_why, status) => {
    await submit();
    const lease = granted();
    gateway.answer = (_request, response) => json(response, status, {}, { 'retry-after': '60' });
    line.isCut = true;
    await submit(lease).catch(() => undefined);
    line.isCut = false;
    gateway.answer = acceptAll();
    expect(await submit(lease)).toMatchObject({ state: 'unleased', wanted: { sending: 2 }, isAsked: true });
    expect(gateway.posts()).toHaveLength(1);
    expect(await submit(granted())).toMatchObject({ state: 'accepted' });
  });

  it('tells nobody that a lease is over while another attempt may use it: one of a paused production gives it back', async () => {
    await submit();
    const lease = granted();
    const { holds } = bench.store;
    await holds.pause('film', 'a test');
    expect(await submit(lease)).toMatchObject({ state: 'unleased', isAsked: false });
    await expect(submit()).rejects.toMatchObject({ type: 'ProductionHeld' });
    await holds.resume('film');
    expect(line.told).toEqual([]);
  });

  it('names the leases of tasks that may be at the gateway, whichever sending used them', async () => {
    await submit();
    await refusedForNow();
    const { ledger } = bench.store;
    await ledger.beginSending(ADDRESS, 2, { ...sent(), lease: { sending: 1, deadlineSeconds: 3_600 } });
    await ledger.endSending(ADDRESS, 2, { kind: 'unclear', record: { reason: 'no answer', at: AT } });
    await ledger.decide(ADDRESS, 1, { kind: 'resubmit', by: 'policy', afterSending: 2, parkedFor: 'unclear', at: AT });
    expect(await submit()).toMatchObject({ state: 'unleased', wanted: { sending: 3 } });
    expect(line.asked.at(-1)).toMatchObject({ sending: 3, still: [1] });
  });

  it('reports that the place of a refused task is free, and that nothing was charged', async () => {
    await submit();
    const lease = granted();
    gateway.answer = (_request, response) => json(response, 400, {});
    expect(await submit(lease)).toMatchObject({ state: 'refused', kind: 'input' });
    expect(line.told).toEqual([{ takeKey: lease.takeKey, sending: 1, how: 'refused', credits: 0 }]);
  });

  it('reports the charge of an ended task, and nothing of one that has not ended', async () => {
    await submit();
    const lease = granted();
    await submit(lease);
    await submit(lease);
    expect(line.told).toEqual([]);
    await bench.store.ledger.settle(ADDRESS, settled('failed', 'task-1', 7));
    await submit(lease);
    expect(line.told).toEqual([{ takeKey: lease.takeKey, sending: 1, how: 'ended', credits: 7 }]);
  });

  it('tells at once that nobody knows whether there is a task', async () => {
    await submit();
    const lease = granted();
    gateway.answer = (_request, response) => json(response, 500, {});
    expect(await submit(lease)).toMatchObject({ state: 'unclear' });
    expect(line.told).toEqual([{ takeKey: lease.takeKey, sending: 1, how: 'unclear', credits: 0 }]);
  });

  it('is requested again if the arbiter cannot be reached', async () => {
    line.isCut = true;
    await expect(submit()).rejects.toMatchObject({ type: 'ArbiterUnreachable', nonRetryable: false });
    expect(gateway.posts()).toHaveLength(0);
  });
});
