import { type ServerResponse } from 'node:http';
import { type SubmitOutcome, type TaskInput } from '../../contracts/activities';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ActivityBench, oneShotFilm, startBench } from '../support/activity-bench';
import { type Answer, json, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { until } from '../support/until';

const DAY_MS = 24 * 60 * 60_000;
const AT = '2026-01-01T00:00:00.000Z';

const text = (index: number, model: string): FrozenProduction['shots'][number] => ({
  id: `${model}-${index}`,
  model: { id: model, output: 'text' },
  parameters: { prompt: `line ${index}` },
  files: {},
});
const COUNT = 12;
const FILM: FrozenProduction = {
  ...oneShotFilm(),
  shots: ['quill', 'reed'].flatMap((model) => Array.from({ length: COUNT }, (_, index) => text(index, model))),
};

/** Executes time out behind a queue of others; everything else works. */
const TIMED_OUT: Answer = (request, response) => {
  if (request.path.endsWith('/execute')) json(response, 504, { error: 'took too long' });
  else if (request.method === 'POST')
    json(response, 200, { status: 'success', response: { id: request.body.slice(-40).replace(/\W/g, '') } });
  else json(response, 404, {});
};

describe('executes of a model that has become slow', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let workers: ReturnType<ActivityBench['activities']>[];
  let nowMs: number;

  beforeEach(async () => {
    gateway = await startScriptedGateway(TIMED_OUT);
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

  /** Sends a row whose plan says that its model is quick, on one of two workers. */
  function execute(shotId: string, worker = 0, changes: Partial<TaskInput> = {}): Promise<SubmitOutcome> {
    return bench.run(workers[worker]!.submits.executeTask, { ...bench.input, shotId, ...changes });
  }

  const posted = (way: 'execute' | 'submit'): number =>
    gateway.posts().filter(({ path }) => path.endsWith(`/${way}`)).length;

  const decide = (shotId: string, by: 'person' | 'policy'): Promise<boolean> =>
    bench.store.ledger.decide({ productionId: FILM.id, shotId, take: 1 }, 1, {
      ...{ kind: 'resubmit', by, afterSending: 1, at: AT },
    });

  it('after the first timeout, every worker submits the unsent ones instead, whatever their plans say', async () => {
    expect(await execute('quill-0')).toMatchObject({ state: 'unclear' });
    for (const [index, worker] of [0, 1, 0].entries()) {
      expect(await execute(`quill-${index + 1}`, worker)).toMatchObject({ state: 'accepted' });
    }
    const restarted = bench.activities().submits.executeTask;
    expect(await bench.run(restarted, { ...bench.input, shotId: 'quill-5' })).toMatchObject({ state: 'accepted' });
    expect([posted('execute'), posted('submit')]).toEqual([1, 4]);
    // This does not apply to another model.
    await execute('reed-0');
    expect(posted('execute')).toBe(2);
  });

  it('a model is executed again a day later', async () => {
    await execute('quill-0');
    nowMs += DAY_MS - 60_000;
    await execute('quill-1');
    expect(posted('execute')).toBe(1);
    nowMs += 120_000;
    await execute('quill-2');
    expect(posted('execute')).toBe(2);
  });

  it('a refused execute does not count as a timeout', async () => {
    gateway.answer = (_request, response) => json(response, 400, {});
    await execute('quill-0');
    gateway.answer = TIMED_OUT;
    await execute('quill-1');
    expect(posted('execute')).toBe(2);
  });

  it('after executes fail while submits work, tasks are submitted for ten minutes, and nothing is held back', async () => {
    gateway.answer = (request, response) =>
      request.path.endsWith('/execute') ? json(response, 500, {}) : TIMED_OUT(request, response);
    expect(await execute('quill-0')).toMatchObject({ state: 'unclear' });
    // The try is a submit, even for a model whose tasks are executed.
    expect(await execute('quill-1')).toMatchObject({ state: 'accepted' });
    for (const id of ['quill-2', 'quill-3']) expect(await execute(id, 1)).toMatchObject({ state: 'accepted' });
    expect(posted('execute')).toBe(1);
    nowMs += 11 * 60_000;
    await execute('quill-4');
    expect(posted('execute')).toBe(2);
  });

  it('a refused task that may be resent is submitted then', async () => {
    gateway.answer = (_request, response) => json(response, 429, {});
    await expect(execute('quill-0')).rejects.toMatchObject({ type: 'GatewayThrottled' });
    gateway.answer = TIMED_OUT;
    await execute('quill-1');
    expect(await execute('quill-0')).toMatchObject({ state: 'accepted' });
    expect(posted('submit')).toBe(1);
  });

  it.each(['person', 'policy'] as const)('a take that may be accepted is never submitted as well: %s', async (by) => {
    await execute('quill-0');
    await decide('quill-0', by);
    expect(await execute('quill-0')).toMatchObject({ state: 'unclear' });
    expect([posted('execute'), posted('submit')]).toEqual([2, 0]);
  });

  describe('that are sent at once', () => {
    const onTheWire: ServerResponse[] = [];
    const answerAll = (answer: (response: ServerResponse, index: number) => void): void =>
      onTheWire.splice(0).forEach(answer);
    const ended = (response: ServerResponse, index: number): void =>
      json(response, 200, {
        status: 'success',
        response: { id: `task-${index}`, status: 'COMPLETED', result: { text: 'light' } },
      });

    beforeEach(() => {
      onTheWire.length = 0;
      gateway.answer = (request, response) => {
        if (request.path.endsWith('/execute')) onTheWire.push(response);
        else return TIMED_OUT(request, response);
      };
    });

    it('are four until one has answered; the others are submitted without waiting', async () => {
      const all = Array.from({ length: COUNT }, (_, index) => execute(`quill-${index}`));
      await until(() => gateway.posts().length === COUNT);
      expect([posted('execute'), posted('submit')]).toEqual([4, COUNT - 4]);
      // Each model has its own.
      const reed = execute('reed-0');
      await until(() => posted('execute') === 5);
      answerAll((response) => json(response, 504, {}));
      expect((await Promise.all([...all, reed])).filter(({ state }) => state === 'unclear')).toHaveLength(5);
    });

    it('are more once one has answered, for as long as that is recent', async () => {
      const first = execute('quill-0');
      await until(() => onTheWire.length === 1);
      answerAll(ended);
      await first;
      const more = [1, 2, 3, 4, 5, 6].map((index) => execute(`quill-${index}`));
      await until(() => onTheWire.length === 6);
      nowMs += 61_000;
      more.push(execute('quill-7'));
      await until(() => gateway.posts().length === 8);
      expect([posted('execute'), posted('submit')]).toEqual([7, 1]);
      answerAll((response, index) => ended(response, index + 1));
      await Promise.all(more);
    });

    it('are no more if the model can only be executed: the fifth waits', async () => {
      const ids = Array.from({ length: 5 }, (_, index) => `quill-${index}`);
      // Each was sent by its own worker before any had timed out.
      const sent = ids.map((shotId) => bench.run(bench.activities().submits.executeTask, { ...bench.input, shotId }));
      await until(() => onTheWire.length === 5);
      answerAll((response) => json(response, 504, {}));
      expect(await Promise.all(sent)).toMatchObject(ids.map(() => ({ state: 'unclear' })));
      for (const id of ids) await decide(id, 'person');
      const again = ids.slice(1).map((id) => execute(id));
      await until(() => onTheWire.length === 4);
      let refusal: unknown;
      void execute('quill-0').catch((error: unknown) => (refusal = error));
      await until(() => refusal !== undefined || onTheWire.length > 4);
      expect(refusal).toMatchObject({ type: 'AnswerAwaited', nonRetryable: false });
      answerAll(ended);
      expect(await Promise.all(again)).toMatchObject(Array(4).fill({ state: 'accepted' }));
    });
  });
});
