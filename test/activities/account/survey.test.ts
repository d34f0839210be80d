import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HeldLease, type Survey, type SurveyInput } from '../../../contracts/gateway/arbiter';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import { AT, intent, sent, settled } from '../../support/ledger-fixtures';
import { json, type ScriptedGateway, startScriptedGateway } from '../../support/scripted-gateway';

const MINUTE_MS = 60_000;

describe("the arbiter's survey", () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;

  beforeEach(async () => {
    gateway = await startScriptedGateway((_request, response) => json(response, 404, {}));
    bench = await startBench(gateway.url, 'key', oneShotFilm());
  });
  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  const survey = (input: Partial<SurveyInput>): Promise<Survey> =>
    bench.run(bench.activities().decisions.survey, { whole: false, held: [], ...input });
  function lease(shotId: string, changes: Partial<HeldLease> = {}): SurveyInput['held'][number] {
    const takeKey = shotId.padEnd(64, '0');
    const since = { sinceMs: Date.now() - 2 * MINUTE_MS, deadlineSeconds: 3_600 };
    return { productionId: 'film', shotId, take: 1, takeKey, sending: 1, model: 'beta-2.5', ...since, ...changes };
  }
  async function accepted(shotId: string, at = new Date().toISOString()): Promise<SurveyInput['held'][number]> {
    const { ledger } = bench.store;
    const address = { productionId: 'film', shotId, take: 1 };
    await ledger.intend(address, intent({ takeKey: shotId.padEnd(64, '0'), account: 'account' }));
    const by = { sending: 1, deadlineSeconds: 3_600 };
    await ledger.beginSending(address, 1, { at, until: at, mode: 'submit', lease: by });
    await ledger.endSending(address, 1, { kind: 'accepted', record: { taskId: `task-of-${shotId}`, at } });
    return lease(shotId);
  }
  const overdue = (shotId: string) => accepted(shotId, new Date(Date.now() - 2 * 3_600_000).toISOString());
  const ends = (shotId: string, credits: number | null, at = new Date().toISOString()) =>
    bench.store.ledger.settle(
      { productionId: 'film', shotId, take: 1 },
      { ...settled('completed', `task-of-${shotId}`, credits), at },
    );

  it("reports for each lease whether it was used and has ended, as of the survey's start", async () => {
    const held = [await accepted('a1'), await accepted('b2'), lease('c3')];
    await ends('b2', 7);
    const before = Date.now();
    const found = await survey({ held });
    expect(found.unsent).toEqual([{ takeKey: held[2]?.takeKey, sending: 1 }]);
    expect(found.ended).toEqual([{ takeKey: held[1]?.takeKey, sending: 1, how: 'ended', credits: 7 }]);
    expect(found.asOfMs).toBeGreaterThanOrEqual(before);
    expect(found.asOfMs).toBeLessThanOrEqual(Date.now());
    expect(gateway.arrived).toHaveLength(0);
  });

  it('names unclear leases, whether asked about or found', async () => {
    const address = { productionId: 'film', shotId: 'b2', take: 1 };
    const [clear, unclear] = [await accepted('a1'), lease('b2')];
    await bench.store.ledger.intend(address, intent({ takeKey: unclear.takeKey, account: 'account' }));
    await bench.store.ledger.beginSending(address, 1, { ...sent(), at: new Date().toISOString() });
    await bench.store.ledger.endSending(address, 1, { kind: 'unclear', record: { reason: 'no answer', at: AT } });
    const named = [{ takeKey: unclear.takeKey, sending: 1 }];
    expect(await survey({ held: [clear, unclear] })).toMatchObject({ ended: [], unsent: [], unclear: named });
    expect((await survey({ held: [], whole: true })).unclear).toEqual(named);
  });

  it('is dated before the first record is read, however long reading takes', async () => {
    const held = [await accepted('a1')];
    const { ledger } = bench.store;
    let readMs = 0;
    const take: typeof ledger.take = (address) => {
      readMs ||= Date.now();
      return ledger.take(address);
    };
    const slow = { ...bench.store, ledger: { ...ledger, take } };
    const { survey: look } = bench.activities('account', slow).decisions;
    expect((await bench.run(look, { whole: true, held })).asOfMs).toBeLessThanOrEqual(readMs);
  });

  it('begins an epoch on request, and reports the limits in force', async () => {
    await bench.store.account('account').limits.change(() => ({ account: { inFlight: 3 }, models: {} }));
    const first = await survey({ begins: { follows: null }, whole: true });
    expect(first).toMatchObject({ epoch: 1, limits: { account: { inFlight: 3 } }, force: expect.any(String) });
    expect(await survey({})).toMatchObject({ epoch: 1 });
  });

  it('charges nothing for tasks that ended before they were granted again, or that the day’s sum includes', async () => {
    const held = [await accepted('a1'), await accepted('b2')];
    await ends('a1', 7, AT);
    await ends('b2', 5);
    expect((await survey({ held })).ended.map(({ credits }) => credits)).toEqual([0, 5]);
    const whole = await survey({ held, whole: true });
    expect(whole.ended.map(({ credits }) => credits)).toEqual([0, 0]);
    expect(whole.spent?.byModel).toEqual({ 'beta-2.5': 5 });
  });

  it('continues if a take cannot be read, says so, and treats it as ended after a day', async () => {
    const held = [await accepted('a1'), await accepted('b2')];
    await rm(join(bench.store.folder, 'ledger/film/a1/1/intent.json'));
    await ends('b2', 5);
    const found = await survey({ held, whole: true });
    expect(found).toMatchObject({ unreadable: ['take 1 of film/a1'], unsent: [] });
    expect(found.ended.map(({ takeKey }) => takeKey)).toEqual([held[1]?.takeKey]);
    expect(found.unreadableLeases).toEqual([{ takeKey: held[0]?.takeKey, sending: 1 }]);
    const old = lease('a1', { sinceMs: Date.now() - 25 * 3_600_000 });
    expect((await survey({ held: [old] })).ended).toMatchObject([{ how: 'ended', credits: null }]);
  });

  it('reads only overdue tasks at the gateway', async () => {
    const held = [await overdue('a1'), await accepted('b2')];
    gateway.answer = (_request, response) =>
      json(response, 200, { status: 'success', response: { id: 'task-of-a1', status: 'failed', credits: 4 } });
    await survey({ held });
    expect(gateway.arrived).toHaveLength(1);
  });

  it('does not wait for a gateway that hangs while nothing is granted', async () => {
    const held = [await overdue('a1')];
    gateway.answer = () => undefined;
    await survey({ held, whole: true });
    await survey({ held, begins: { follows: null } });
    expect(gateway.arrived).toHaveLength(0);
  });

  it('reads a few tasks at a time from a slow gateway, and the others in a later survey', async () => {
    const held = await Promise.all(Array.from({ length: 60 }, (_, n) => overdue(`a${n}`)));
    let open = 0;
    let most = 0;
    gateway.answer = async (_request, response) => {
      most = Math.max(most, (open += 1));
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      open -= 1;
      json(response, 500, {});
    };
    await survey({ held });
    expect(most).toBe(8);
    expect(gateway.arrived.length).toBeLessThan(60);
    const first = gateway.arrived.map(({ path }) => path);
    expect(new Set(first).size).toBe(first.length);
  });
});
