import { type ServerResponse } from 'node:http';
import { Gate } from '../../../activities/account/gate';
import { type SubmitOutcome, type TaskInput } from '../../../contracts/activities';
import { type ClosedGate } from '../../../contracts/gateway/gate';
import { type FrozenProduction } from '../../../contracts/render/frozen';
import { type GateRecord } from '../../../store';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import {
  acceptAll,
  type Answer,
  json,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scripted-gateway';
import { until } from '../../support/until';
import { recordsOf, withRecords } from '../../support/store-records';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A film of eight shots: enough for an outage to harm. */
const [DAWN] = oneShotFilm().shots;
const SHOTS = Array.from({ length: 8 }, (_, index) => ({
  ...DAWN!,
  id: `shot-${index}`,
  parameters: { prompt: `light ${index}` },
}));
const FILM: FrozenProduction = { ...oneShotFilm(), shots: SHOTS };

const NOT_FOUND: Answer = (_request, response) => json(response, 404, {});
const BROKEN: Answer = (_request, response) => json(response, 500, { error: 'boom' });
const PAGE: Answer = (_request, response) => void response.writeHead(200).end('<html>Sorry</html>');

/** Answers submits in one way and reads in another. */
function by({ posts, gets }: { posts: Answer; gets: Answer }): Answer {
  return (request, response) => (request.method === 'POST' ? posts : gets)(request, response);
}

describe('the gate of an account', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let record: GateRecord;
  let workers: ReturnType<ActivityBench['activities']>[];
  /** Pauses are seconds long. The clock moves only when a test advances it, however busy the machine is. */
  let nowMs: number;

  beforeEach(async () => {
    gateway = await startScriptedGateway(by({ posts: acceptAll(), gets: NOT_FOUND }));
    bench = await startBench(gateway.url, 'key', FILM);
    record = bench.store.account('account').gate;
    workers = [bench.activities(), bench.activities()];
    nowMs = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await bench.close();
    await gateway.close();
  });

  /** Submits a shot once, on one of two workers. */
  function submit(index: number, changes: Partial<TaskInput> = {}): Promise<SubmitOutcome> {
    const { submitTask } = workers[index % workers.length]!.submits;
    return bench.run(submitTask, { ...bench.input, shotId: `shot-${index}`, ...changes });
  }

  const states = async (submits: readonly Promise<SubmitOutcome>[]): Promise<readonly string[]> =>
    (await Promise.allSettled(submits)).map((one) =>
      one.status === 'fulfilled' ? one.value.state : (one.reason as { type: string }).type,
    );

  /** Submits all shots at once, as Temporal retries them. */
  const submitAll = (): Promise<readonly string[]> => states(SHOTS.map((_shot, index) => submit(index)));

  const count = (all: readonly string[], state: string): number => all.filter((one) => one === state).length;

  /** A submit whose file is larger than can be sent. */
  async function unsendable(): Promise<TaskInput> {
    const asset = await bench.store.assets.putBytes(Buffer.alloc(1_000_000), {
      mediaType: 'image/png',
      durationSeconds: null,
      width: 1,
      height: 1,
    });
    const files = { startFrame: { kind: 'asset' as const, asset, name: 'big.png' } };
    const production = await bench.store.putJson({ ...FILM, shots: [{ ...SHOTS[0]!, files }] });
    return { ...bench.input, shotId: 'shot-0', production };
  }

  /** The gate as it is some time after its last closing. */
  async function closedAgo(ageMs: number, changes: Partial<ClosedGate> = {}): Promise<void> {
    const ago = (ms: number): string => new Date(Date.now() - ageMs + ms).toISOString();
    await record.close({
      for: 'unclear',
      reason: 'POST /submit answered 500',
      since: ago(0),
      failures: 1,
      tryAt: ago(2_000),
      tryAnywayAt: ago(600_000),
      ...changes,
    });
  }

  it.each<[string, Answer, number]>([
    ['answers submits with 500 and reads in good order', by({ posts: BROKEN, gets: NOT_FOUND }), 1],
    ['answers everything with 500', BROKEN, 0],
    ['answers everything with a page', PAGE, 0],
  ])('an outage that %s makes one take unclear, and at most one more for each try', async (_what, outage, tries) => {
    gateway.answer = outage;
    expect(await submit(0)).toMatchObject({ state: 'unclear' });
    for (const tried of [1, 2]) {
      expect(count(await submitAll(), 'unclear')).toBe(1 + tried * tries);
      expect(count(await submitAll(), 'unclear')).toBe(1 + tried * tries);
      expect(gateway.posts()).toHaveLength(1 + tried * tries);
      await closedAgo(MINUTE_MS);
    }
  });

  it('a single unclear answer costs the others one read', async () => {
    gateway.answer = by({ posts: BROKEN, gets: NOT_FOUND });
    await submit(0);
    gateway.answer = by({ posts: acceptAll(), gets: NOT_FOUND });
    expect(await submit(1)).toMatchObject({ state: 'accepted' });
    expect(gateway.arrived.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
    expect(await record.read()).toBeUndefined();
  });

  it('a burst during an outage makes only the submits on the wire unclear', async () => {
    const onTheWire: ServerResponse[] = [];
    gateway.answer = by({ posts: (_request, response) => void onTheWire.push(response), gets: NOT_FOUND });
    const first = [0, 1, 2].map((index) => submit(index));
    await until(() => onTheWire.length === 3);
    json(onTheWire[0]!, 500, {});
    await until(async () => (await record.read()) !== undefined);
    gateway.answer = by({ posts: BROKEN, gets: NOT_FOUND });
    // One try fails. Late answers from before the closing do not make another try due sooner.
    expect(await states([submit(3)])).toEqual(['unclear']);
    for (const response of onTheWire.slice(1)) json(response, 500, {});
    expect(await states(first)).toEqual(['unclear', 'unclear', 'unclear']);
    expect(count(await submitAll(), 'GatewayDown')).toBe(4);
    expect(gateway.posts()).toHaveLength(4);
  });

  it('lets no second submit try beside the first, although other answers become unclear meanwhile', async () => {
    const onTheWire: ServerResponse[] = [];
    gateway.answer = by({ posts: (_request, response) => void onTheWire.push(response), gets: NOT_FOUND });
    const first = [0, 1].map((index) => submit(index));
    await until(() => onTheWire.length === 2);
    json(onTheWire[0]!, 500, {});
    await until(async () => (await record.read()) !== undefined);
    const trying = submit(2);
    await until(() => onTheWire.length === 3);
    nowMs += 1_000;
    json(onTheWire[1]!, 500, {});
    expect(await states(first)).toEqual(['unclear', 'unclear']);
    expect(await states([submit(3)])).toEqual(['GatewayDown']);
    expect(gateway.posts()).toHaveLength(3);
    json(onTheWire[2]!, 500, {});
    expect(await states([trying])).toEqual(['unclear']);
  });

  it('lets one submit of all workers try, while the others wait without a worker’s slot', async () => {
    await closedAgo(MINUTE_MS);
    let answer: ServerResponse | undefined;
    gateway.answer = by({ posts: (_request, response) => void (answer = response), gets: NOT_FOUND });
    const all = SHOTS.slice(1).map((_shot, index) => submit(index));
    let hasEnded = 0;
    const note = (): unknown => (hasEnded += 1);
    for (const one of all) void one.then(note, note);
    // All attempts except the one on the wire have ended, and new ones are held back too.
    await until(() => answer !== undefined && hasEnded === 6);
    expect(await states([submit(7)])).toEqual(['GatewayDown']);
    expect(gateway.posts()).toHaveLength(1);
    json(answer!, 200, { status: 'success', response: { id: 'task-0' } });
    const ended = await states(all);
    expect([count(ended, 'accepted'), count(ended, 'GatewayDown')]).toEqual([1, 6]);
    expect(await record.read()).toBeUndefined();
    gateway.answer = by({ posts: acceptAll(), gets: NOT_FOUND });
    expect(count(await submitAll(), 'accepted')).toBe(8);
  });

  it.each([400, 402, 429])('opens if the try is answered with %i, since the gateway works', async (status) => {
    await closedAgo(HOUR_MS);
    gateway.answer = by({ posts: (_request, response) => json(response, status, {}), gets: NOT_FOUND });
    await states([submit(0)]);
    expect(await record.read()).toBeUndefined();
  });

  it('waits longer and longer if the try becomes unclear too, and says since when', async () => {
    gateway.answer = by({ posts: BROKEN, gets: NOT_FOUND });
    await submit(0);
    const { since } = (await record.read())!;
    const pauses: number[] = [];
    for (let index = 1; index < 5; index += 1) {
      const { failures } = (await record.read())!;
      await closedAgo(HOUR_MS, { failures, since });
      expect(await submit(index)).toMatchObject({ state: 'unclear' });
      const gate = (await record.read())!;
      expect(gate).toMatchObject({ since, failures: failures + 1, reason: expect.stringContaining('500') });
      pauses.push(Date.parse(gate.tryAt) - Date.now());
    }
    for (const [index, pause] of pauses.slice(1).entries()) expect(pause).toBeGreaterThan(2 * pauses[index]!);
  });

  it('finally tries although reads are answered with 500, as a gateway may answer for an unknown task', async () => {
    gateway.answer = by({ posts: acceptAll(), gets: BROKEN });
    await closedAgo(5 * MINUTE_MS);
    expect(await states([submit(0)])).toEqual(['GatewayDown']);
    await closedAgo(HOUR_MS);
    expect(await submit(0)).toMatchObject({ state: 'accepted' });
    expect(await record.read()).toBeUndefined();
  });

  it('reads a task that the gateway knows, if there is one', async () => {
    const known = '/task-1/';
    gateway.answer = by({
      posts: acceptAll(),
      gets: (request, response) =>
        request.path.includes(known)
          ? json(response, 200, { status: 'success', response: { id: 'task-1', status: 'IN_PROGRESS' } })
          : json(response, 500, {}),
    });
    await submit(0);
    await closedAgo(MINUTE_MS);
    expect(await submit(2)).toMatchObject({ state: 'accepted' });
    expect(gateway.arrived.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
  });

  it('does not open because of a read that began before the gate was closed again', async () => {
    await closedAgo(MINUTE_MS);
    const looks: ServerResponse[] = [];
    gateway.answer = by({ posts: acceptAll(), gets: (_request, response) => void looks.push(response) });
    const early = submit(0);
    await until(() => looks.length === 1);
    // A submit that was on the wire all the time becomes unclear.
    await closedAgo(0);
    const late = submit(2);
    expect(await states([late])).toEqual(['GatewayDown']);
    json(looks[0]!, 404, {});
    expect(await states([early])).toEqual(['GatewayDown']);
    expect(gateway.posts()).toHaveLength(0);
    expect(await record.read()).toMatchObject({ n: 2 });
  });

  it('is not opened by the answer to a try of an older closing', async () => {
    await closedAgo(MINUTE_MS);
    let answer: ServerResponse | undefined;
    gateway.answer = by({ posts: (_request, response) => void (answer = response), gets: NOT_FOUND });
    const trying = submit(0);
    await until(() => answer);
    await closedAgo(0);
    json(answer!, 200, { status: 'success', response: { id: 'task-0' } });
    expect(await trying).toMatchObject({ state: 'accepted' });
    expect(await states([submit(1)])).toEqual(['GatewayDown']);
    expect(gateway.posts()).toHaveLength(1);
  });

  it('lets another submit try at once if the worker of the try is gone', async () => {
    await closedAgo(HOUR_MS);
    const past = new Date(Date.now() - 1).toISOString();
    await record.beginProbe({ n: 1, probes: 0 }, { at: past, until: past });
    expect(await submit(0)).toMatchObject({ state: 'accepted' });
    expect(await record.read()).toBeUndefined();
  });

  it('is opened by an answer that took so long that other tries came meanwhile, one at a time', async () => {
    await closedAgo(HOUR_MS);
    const onTheWire: ServerResponse[] = [];
    gateway.answer = by({ posts: (_request, response) => void onTheWire.push(response), gets: NOT_FOUND });
    const alone: number[] = [];
    const trying: Promise<SubmitOutcome>[] = [];
    for (const index of [0, 1, 2]) {
      trying.push(submit(index));
      await until(() => onTheWire.length === index + 1);
      expect(await states([submit(7)])).toEqual(['GatewayDown']);
      const aloneMs = Date.parse((await record.read())!.lastProbe!.until) - Date.now();
      alone.push(aloneMs);
      nowMs += aloneMs + 1;
    }
    for (const [index, time] of alone.slice(1).entries()) expect(time).toBeGreaterThan(2 * alone[index]!);
    json(onTheWire[0]!, 200, { status: 'success', response: { id: 'task-0' } });
    expect(await trying[0]).toMatchObject({ state: 'accepted' });
    expect(await record.read()).toBeUndefined();
    for (const response of onTheWire.slice(1)) json(response, 429, {});
    await states(trying);
  });

  it('lets another submit try at once if the chosen one cannot be sent', async () => {
    await closedAgo(HOUR_MS);
    await expect(submit(0, await unsendable())).rejects.toMatchObject({ type: 'FileNotSendable' });
    expect(await submit(1)).toMatchObject({ state: 'accepted' });
  });

  it('stays with the newest try if an older one gives its right back', async () => {
    await closedAgo(HOUR_MS);
    const by = { mode: 'submit', model: DAWN!.model } as const;
    const see = () => Promise.resolve({ reachable: true, key: 'accepted', inOrder: true, answer: '' } as const);
    const gate = new Gate(record, see, 'submits');
    const older = await gate.enter(by);
    nowMs = Date.parse((await record.read())!.lastProbe!.until) + 1;
    const newer = await gate.enter(by);
    await gate.leave(older);
    expect(await record.read()).toMatchObject({ n: 1, probes: 2 });
    await gate.leave(newer);
    expect(await record.read()).toMatchObject({ n: 2, probes: 0 });
  });

  it('a refused key is tried again only when the gateway accepts it for a read', async () => {
    const refuse: Answer = (_request, response) => json(response, 401, {});
    gateway.answer = refuse;
    expect(await states([submit(0)])).toEqual(['KeyRefused']);
    expect(await record.read()).toMatchObject({ for: 'key' });
    expect(count(await submitAll(), 'KeyRefused')).toBe(8);
    expect(gateway.posts()).toHaveLength(1);
    await closedAgo(MINUTE_MS, { for: 'key' });
    expect(count(await submitAll(), 'KeyRefused')).toBe(8);
    expect(gateway.posts()).toHaveLength(1);
    gateway.answer = by({ posts: acceptAll(), gets: NOT_FOUND });
    await closedAgo(MINUTE_MS, { for: 'key' });
    expect(await submit(0)).toMatchObject({ state: 'accepted' });
  });

  it('waits as long as an unavailable gateway asks', async () => {
    gateway.answer = by({
      posts: (_request, response) => json(response, 503, {}, { 'retry-after': '90' }),
      gets: NOT_FOUND,
    });
    await expect(submit(0)).rejects.toMatchObject({ type: 'GatewayDown', nextRetryDelay: 90_000 });
    const wait = await submit(1).catch((error: unknown) => error as { nextRetryDelay: number });
    expect((wait as { nextRetryDelay: number }).nextRetryDelay).toBeGreaterThan(60_000);
    expect(gateway.posts()).toHaveLength(1);
  });

  it('does not shorten the wait for a late answer from before', async () => {
    const onTheWire: ServerResponse[] = [];
    gateway.answer = by({ posts: (_request, response) => void onTheWire.push(response), gets: NOT_FOUND });
    const both = [0, 1].map((index) => submit(index));
    await until(() => onTheWire.length === 2);
    json(onTheWire[0]!, 503, {}, { 'retry-after': '3600' });
    await until(async () => (await record.read()) !== undefined);
    const asked = await record.read();
    json(onTheWire[1]!, 503, {}, { 'retry-after': '1' });
    await states(both);
    expect(await record.read()).toEqual(asked);
  });

  it('reports what held a submit back, although its right to try cannot be given back', async () => {
    await closedAgo(HOUR_MS);
    const records = recordsOf(bench.store);
    let isFull = false;
    const full = withRecords(bench.store, {
      async create(key, value) {
        if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        isFull = key.includes('/probe-');
        return records.create(key, value);
      },
    });
    const { submitTask } = bench.activities('account', full).submits;
    await expect(bench.run(submitTask, await unsendable())).rejects.toMatchObject({ type: 'FileNotSendable' });
    expect(isFull).toBe(true);
  });

  it('holds back no other account', async () => {
    await closedAgo(0);
    expect(await states([submit(0)])).toEqual(['GatewayDown']);
    const other = bench.activities('another account').submits.submitTask;
    expect(await bench.run(other, { ...bench.input, shotId: 'shot-0' })).toMatchObject({ state: 'accepted' });
  });
});
