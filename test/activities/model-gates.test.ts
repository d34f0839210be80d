import { type ServerResponse } from 'node:http';
import { type SubmitOutcome } from '../../contracts/activities';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type GateRecord } from '../../store';
import { type ActivityBench, oneShotFilm, startBench } from '../support/activity-bench';
import { type Answer, json, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { until } from '../support/until';
import { recordsOf } from '../support/store-records';

const MINUTE_MS = 60_000;
const ROWS = 20;

const row = (model: string, index: number): FrozenProduction['shots'][number] => ({
  ...{ id: `${model}-${index}`, model: { id: model, output: 'text' }, files: {} },
  parameters: { prompt: `${model} ${index}` },
});
const FILM: FrozenProduction = {
  ...oneShotFilm(),
  shots: ['quill', 'reed'].flatMap((model) => Array.from({ length: ROWS }, (_, index) => row(model, index))),
};

describe('the gates of single models', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let workers: ReturnType<ActivityBench['activities']>[];
  let nowMs: number;
  /** How each call is answered; undefined: it is accepted. */
  let fault: (request: Parameters<Answer>[0]) => number | undefined;

  beforeEach(async () => {
    fault = () => undefined;
    gateway = await startScriptedGateway();
    gateway.answer = accept;
    bench = await startBench(gateway.url, 'key', FILM);
    workers = [bench.activities(), bench.activities()];
    nowMs = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    // First what a failed test has left on the wire.
    await gateway.close();
    await bench.close();
  });

  const accept: Answer = (request, response) => {
    const status = request.method === 'POST' ? fault(request) : 404;
    if (status !== undefined) json(response, status, {});
    else json(response, 200, { status: 'success', response: { id: `task-${gateway.arrived.length}` } });
  };

  function send(shotId: string, way: 'submitTask' | 'executeTask' = 'submitTask'): Promise<SubmitOutcome> {
    const worker = workers[Number(shotId.split('-')[1]) % 2]!;
    return bench.run(worker.submits[way], { ...bench.input, shotId });
  }

  const stateOf = (sent: Promise<SubmitOutcome>): Promise<string> =>
    sent.then(
      ({ state }) => state,
      (error: unknown) => (error as { type: string }).type,
    );

  const record = (): GateRecord => bench.store.account('account').gate;

  async function closeAgo(ageMs: number): Promise<void> {
    const at = new Date(nowMs - ageMs).toISOString();
    await record().close({ for: 'unclear', reason: '500', since: at, failures: 2, tryAt: at, tryAnywayAt: at });
  }

  it('an execute that timed out holds back no submit of its account or model', async () => {
    fault = ({ path }) => (path.endsWith('/execute') ? 504 : undefined);
    expect(await send('quill-0', 'executeTask')).toMatchObject({ state: 'unclear' });
    expect(await record().read()).toBeUndefined();
    const reeds = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((index) => stateOf(send(`reed-${index}`))));
    expect(reeds).toEqual(Array(8).fill('accepted'));
    // No read was needed first.
    expect(gateway.arrived.filter(({ method }) => method === 'GET')).toHaveLength(0);
    expect(await send('quill-1', 'executeTask')).toMatchObject({ state: 'accepted' });
  });

  it('a model whose submits alone are unclear waits longer and longer, and the others continue', async () => {
    fault = ({ body }) => (body.includes('quill') ? 500 : undefined);
    const quills: string[] = [];
    for (let index = 0; index < 10; index += 1) {
      quills.push(await stateOf(send(`quill-${index}`)));
      nowMs += 100;
      expect(await stateOf(send(`reed-${index}`))).toBe('accepted');
    }
    expect(quills.filter((state) => state === 'unclear')).toHaveLength(2);
    expect(new Set(quills.slice(2))).toEqual(new Set(['GatewayDown']));
    expect(await record().read()).toBeUndefined();
    expect(await bench.store.account('account').closedModelGates()).toMatchObject([
      { failures: 2, only: { model: { id: 'quill' } } },
    ]);
    // The model's own try opens its gate.
    fault = () => undefined;
    nowMs += MINUTE_MS;
    expect(await stateOf(send('quill-9'))).toBe('accepted');
    expect(await bench.store.account('account').closedModelGates()).toEqual([]);
  });

  it('a try that is not due for the model that was unclear is due for others', async () => {
    fault = ({ body }) => (body.includes('quill') ? 500 : undefined);
    expect([await stateOf(send('quill-0')), await stateOf(send('quill-1'))]).toEqual(['unclear', 'unclear']);
    expect(await stateOf(send('quill-2'))).toBe('GatewayDown');
    expect(await stateOf(send('reed-0'))).toBe('accepted');
  });

  it('is an outage if the others are unclear too: then all wait', async () => {
    fault = () => 500;
    await send('quill-0');
    await send('quill-1');
    expect(await stateOf(send('reed-0'))).toBe('unclear');
    expect(await stateOf(send('reed-1'))).toBe('GatewayDown');
    expect(await record().read()).toMatchObject({ failures: 3 });
  });

  describe('after a closing', () => {
    const onTheWire: ServerResponse[] = [];
    const answer = (count: number): void =>
      onTheWire.splice(0, count).forEach((response) => {
        json(response, 200, { status: 'success', response: { id: `late-${(answered += 1)}` } });
      });
    let answered: number;

    beforeEach(async () => {
      answered = 0;
      onTheWire.length = 0;
      await closeAgo(MINUTE_MS);
      expect(await stateOf(send('reed-0'))).toBe('accepted');
      gateway.answer = (request, response) =>
        request.method === 'POST' ? void onTheWire.push(response) : json(response, 404, {});
    });

    /** As Temporal retries them. */
    async function persist(shotId: string): Promise<string> {
      const own = bench;
      for (;;) {
        const state = await stateOf(send(shotId));
        if (state !== 'GatewayDown' || bench !== own) return state;
      }
    }

    /** Also ends when more submits are on the wire than allowed. */
    async function stateOrMore(shotId: string, atOnce: number): Promise<string> {
      let state = '';
      void stateOf(send(shotId)).then((ended) => (state = ended));
      await until(() => state !== '' || onTheWire.length > atOnce);
      return state;
    }

    it('two submits go at once, then four, then eight, then all', async () => {
      const all = Array.from({ length: ROWS - 1 }, (_, index) => persist(`quill-${index + 1}`));
      for (const atOnce of [2, 4, 8]) {
        await until(() => onTheWire.length >= atOnce);
        // Others arrive and find no place.
        if (atOnce === 2) expect(await stateOrMore('reed-1', atOnce)).toBe('GatewayDown');
        expect(onTheWire).toHaveLength(atOnce);
        answer(atOnce);
      }
      await until(() => onTheWire.length === ROWS - 1 - 14);
      answer(ROWS);
      expect(await Promise.all(all)).toEqual(Array(ROWS - 1).fill('accepted'));
      gateway.answer = accept;
      const more = Array.from({ length: 10 }, (_, index) => stateOf(send(`reed-${index + 2}`)));
      expect(await Promise.all(more)).toEqual(Array(10).fill('accepted'));
    });

    it('another unclear submit closes it again', async () => {
      const two = [stateOf(send('quill-1')), stateOf(send('quill-2'))];
      await until(() => onTheWire.length === 2);
      json(onTheWire[0]!, 500, {});
      json(onTheWire[1]!, 500, {});
      expect(await Promise.all(two)).toEqual(['unclear', 'unclear']);
      expect(await record().read()).toMatchObject({ for: 'unclear' });
    });

    it('it is open after a minute, even if workers that were let through are gone', async () => {
      for (const k of [1, 2]) await record().beginStep({ n: 1, k });
      expect(await stateOrMore('quill-1', 0)).toBe('GatewayDown');
      nowMs += 2 * MINUTE_MS;
      gateway.answer = accept;
      expect(await stateOf(send('quill-1'))).toBe('accepted');
    });
  });

  it('a gate that an older version opened is open', async () => {
    await closeAgo(60 * MINUTE_MS);
    const folder = 'accounts';
    const [account] = await recordsOf(bench.store).list(folder);
    const at = new Date(nowMs - 50 * MINUTE_MS).toISOString();
    await recordsOf(bench.store).create(`${folder}/${account}/gate/opened-1`, { at });
    const all = Array.from({ length: 10 }, (_, index) => stateOf(send(`reed-${index}`)));
    expect(await Promise.all(all)).toEqual(Array(10).fill('accepted'));
    expect((await recordsOf(bench.store).list(`${folder}/${account}/gate`)).toSorted()).toEqual([
      'closed-1',
      'opened-1',
    ]);
  });
});
