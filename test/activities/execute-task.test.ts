import { readFile } from 'node:fs/promises';
import { type SubmitOutcome } from '../../contracts/activities';
import { taskIds } from '../../client/books/check-ledger';
import { type FolderStore, tasksOf } from '../../store';
import { type ActivityBench, oneShotFilm, startBench } from '../support/activity-bench';
import { ADDRESS, AT } from '../support/ledger-fixtures';
import { type Answer, json, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { until } from '../support/until';

const POEM = 'light, and then the sea';

/** Ends at once without a task id: only this answer has the result. */
const withoutId =
  (tell: () => string): Answer =>
  (request, response) => {
    const ended = { status: 'COMPLETED', result: { text: tell() }, usage: { credits: 2 } };
    if (request.method === 'POST') json(response, 200, { status: 'success', response: ended });
    else json(response, 404, {});
  };

describe('executeTask', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let poem: string;

  beforeEach(async () => {
    poem = POEM;
    gateway = await startScriptedGateway(withoutId(() => poem));
    bench = await startBench(gateway.url, 'key', oneShotFilm());
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  function execute(through?: FolderStore): Promise<SubmitOutcome> {
    return bench.run(bench.activities('account', through).submits.executeTask, bench.input);
  }

  /** A store whose ledger differs in one operation. */
  const withLedger = (changes: Partial<FolderStore['ledger']>): FolderStore => ({
    ...bench.store,
    ledger: { ...bench.store.ledger, ...changes },
  });

  /** As the workflow treats an accepted task: awaits it, then collects its output. */
  async function collected(outcome: SubmitOutcome): Promise<string> {
    if (outcome.state !== 'accepted') throw new Error(`the execute was ${outcome.state}`);
    const { take, taskId, acceptedAt } = outcome;
    const { polls, media } = bench.activities();
    const end = await bench.run(polls.awaitTask, { take, taskId, acceptedAt, lastRead: false });
    expect(end).toEqual({ state: 'completed', credits: 2 });
    const { production } = bench.input;
    const { asset } = await bench.run(media.storeOutput, { take, taskId, production, output: 'text' });
    return readFile(bench.store.assets.shownPath(asset), 'utf8');
  }

  it('keeps the result of a task without an id', async () => {
    expect(await collected(await execute())).toBe(POEM);
    expect(gateway.posts()).toHaveLength(1);
  });

  it('keeps a long text completely', async () => {
    poem = POEM.repeat(5_000);
    expect(await collected(await execute())).toBe(poem);
  });

  it('keeps the result if the worker dies as soon as it is recorded', async () => {
    // It does not return while the other continues, so the process appears to be gone.
    let comeBack: (isNoted: boolean) => void = () => undefined;
    const absence = new Promise<boolean>((resolve) => (comeBack = resolve));
    let hasNoted = false;
    const endSending: FolderStore['ledger']['endSending'] = async (take, n, end) => {
      await bench.store.ledger.endSending(take, n, end);
      hasNoted = true;
      return absence;
    };
    const gone = execute(withLedger({ endSending }));
    await until(() => hasNoted);
    expect(await collected(await execute())).toBe(POEM);
    expect(gateway.posts()).toHaveLength(1);
    comeBack(true);
    await gone;
  });

  it('keeps the result although the ledger refuses it at first', async () => {
    const refusals = [new Error('ENOSPC'), new Error('ENOSPC')];
    const full = withLedger({
      settle: (take, settled) => {
        const refusal = refusals.pop();
        return refusal === undefined ? bench.store.ledger.settle(take, settled) : Promise.reject(refusal);
      },
    });
    expect(await collected(await execute(full))).toBe(POEM);
    expect(gateway.posts()).toHaveLength(1);
  });

  describe('whose answer has no id and comes late', () => {
    let release: () => void;

    /** Sends an execute whose answer waits for `release`, and which becomes unclear meanwhile. */
    async function unclearMeanwhile(): Promise<SubmitOutcome> {
      const answer = gateway.answer;
      gateway.answer = async (request, response) => {
        await new Promise<void>((resolve) => (release = resolve));
        await answer(request, response);
      };
      const first = execute();
      await until(() => gateway.posts().length === 1);
      gateway.answer = answer;
      await bench.store.ledger.endSending(ADDRESS, 1, { kind: 'unclear', record: { reason: 'no answer', at: AT } });
      return first;
    }

    it('is a separate task beside the one of the resend', async () => {
      const first = unclearMeanwhile();
      await until(async () => (await bench.store.ledger.take(ADDRESS))?.sendings[0]?.unclear !== undefined);
      const resubmit = { kind: 'resubmit', by: 'person', afterSending: 1, at: AT } as const;
      await bench.store.ledger.decide(ADDRESS, 1, resubmit);
      await execute();
      release();
      await first;
      const history = (await bench.store.ledger.take(ADDRESS))!;
      expect(gateway.posts()).toHaveLength(2);
      expect(new Set(tasksOf(history)).size).toBe(2);
      expect(taskIds(history).size).toBe(2);
      expect(history.settled?.taskId).toBe(history.sendings[1]?.accepted?.taskId);
    });

    it('is the end of the adopted task, not a second task', async () => {
      const first = unclearMeanwhile();
      await until(async () => (await bench.store.ledger.take(ADDRESS))?.sendings[0]?.unclear !== undefined);
      const adopted = { taskId: 'adopted', at: AT };
      await bench.store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: adopted });
      release();
      expect(await first).toMatchObject({ state: 'accepted', taskId: 'adopted' });
      const history = (await bench.store.ledger.take(ADDRESS))!;
      expect(tasksOf(history)).toEqual(['adopted']);
      expect(history).toMatchObject({ settled: { taskId: 'adopted', text: POEM, credits: 2 } });
      expect([...taskIds(history)]).toEqual(['adopted']);
    });
  });

  it("returns a failed task with the gateway's reason", async () => {
    gateway.answer = (_request, response) =>
      json(response, 200, { status: 'success', response: { id: 'task-1', status: 'FAILED', error: 'no muse' } });
    expect(await execute()).toMatchObject({ state: 'failed', taskId: 'task-1', reason: 'no muse' });
  });

  it('awaits a task that has not ended with the answer', async () => {
    gateway.answer = (_request, response) =>
      json(response, 200, { status: 'success', response: { id: 'task-1', status: 'IN_PROGRESS' } });
    expect(await execute()).toMatchObject({ state: 'accepted', taskId: 'task-1' });
    expect((await bench.store.ledger.take(ADDRESS))?.settled).toBeUndefined();
  });
});
