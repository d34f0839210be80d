import { readFile, rm } from 'node:fs/promises';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type DecideInput, type SubmitOutcome, type TakeOutput, type TaskInput } from '../../../contracts/activities';
import { type AssetRef } from '../../../contracts/asset';
import { type Decision } from '../../../contracts/render/decision';
import { type Ledger, type FolderStore } from '../../../store';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import { ADDRESS, AT, settled } from '../../support/ledger-fixtures';
import { until } from '../../support/until';
import {
  acceptAll,
  type Answer,
  json,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scripted-gateway';

describe('a decision', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let store: FolderStore;

  beforeEach(async () => {
    gateway = await startScriptedGateway();
    bench = await startBench(gateway.url, 'key', oneShotFilm());
    ({ store } = bench);
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  function submit(changes: Partial<TaskInput> = {}): Promise<SubmitOutcome> {
    return bench.run(bench.activities().submits.submitTask, { ...bench.input, ...changes });
  }

  /** The decision of a person who has seen the current state of the take, except for `changes`. */
  async function decide(decision: Decision, changes: Partial<DecideInput> = {}, through: FolderStore = store) {
    const { take, decisions: seen } = await submit();
    const input: DecideInput = { take, seen, parkedFor: 'unclear', by: 'person', output: null, decision, ...changes };
    return bench.run(bench.activities('account', through).decisions.decide, input);
  }

  /** The store with a ledger that fails once, as on a full disk. */
  function failingOnce(step: keyof Ledger): FolderStore {
    let failed = false;
    const failing = (...args: never[]): unknown => {
      if (failed) return (store.ledger[step] as (...same: never[]) => unknown)(...args);
      failed = true;
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    return { ...store, ledger: { ...store.ledger, [step]: failing } };
  }

  async function ownClip(text = 'mine'): Promise<{ asset: AssetRef; output: TakeOutput }> {
    const description = { mediaType: 'text/plain', durationSeconds: null, width: null, height: null };
    const asset = await store.assets.putBytes(Buffer.from(text), description);
    return { asset, output: { asset, firstFrame: null, lastFrame: null, warnings: [] } };
  }

  async function unclear(): Promise<void> {
    gateway.answer = (_request, response) => json(response, 500, {});
    expect(await submit()).toMatchObject({ state: 'unclear' });
    gateway.answer = (_request, response) =>
      json(response, 200, { status: 'success', response: { status: 'PENDING' } });
  }

  const tell =
    (response: object): Answer =>
    (_request, answer) =>
      json(answer, 200, { status: 'success', response });

  describe('if a restore has lost an earlier decision of the take', () => {
    /** As a decision is recorded by a workflow that has seen decision 1, in a ledger that lacks decision 1. */
    async function withoutFirst(): Promise<void> {
      await unclear();
      expect(await decide({ kind: 'wait' }, { seen: 1 })).toEqual({ recorded: true });
    }

    it('is recorded under the next number', async () => {
      await withoutFirst();
      expect(await submit()).toMatchObject({ state: 'unclear', decisions: 2 });
      expect(await decide({ kind: 'skip' })).toEqual({ recorded: true });
      expect((await store.ledger.take(ADDRESS))?.decisions.map(({ kind }) => kind)).toEqual(['wait', 'skip']);
      expect(await submit()).toMatchObject({ state: 'skipped', decisions: 3 });
    });

    it('is outdated if the person has not seen the last one', async () => {
      await withoutFirst();
      const { take } = await submit();
      expect(await decide({ kind: 'skip' }, { take, seen: 1 })).toMatchObject({
        recorded: false,
        isOutdated: true,
        reason: expect.stringContaining('another decision was made meanwhile: wait'),
      });
    });
  });

  describe('to adopt', () => {
    it.each(['endSending', 'decide'] as const)('holds, though %s failed in between', async (step) => {
      await unclear();
      const faulty = failingOnce(step);
      await expect(decide({ kind: 'adopt', taskId: 'mine' }, {}, faulty)).rejects.toMatchObject({
        type: 'LedgerUnavailable',
      });
      expect(await decide({ kind: 'adopt', taskId: 'mine' }, {}, faulty)).toEqual({ recorded: true });
      expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'mine' });
      expect((await store.ledger.take(ADDRESS))?.decisions).toMatchObject([{ kind: 'adopt', taskId: 'mine' }]);
    });

    it('is refused if another answer has arrived meanwhile', async () => {
      await unclear();
      const { take } = await submit();
      await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'real', at: AT } });
      for (const taskId of ['other', 'mine']) {
        expect(await decide({ kind: 'adopt', taskId }, { take })).toMatchObject({
          recorded: false,
          reason: expect.stringContaining('task real'),
        });
      }
      expect(await decide({ kind: 'adopt', taskId: 'real' }, { take })).toEqual({ recorded: true });
    });

    it('is refused for the task of another production', async () => {
      await unclear();
      const { model } = (await submit()).take;
      const elsewhere = { productionId: 'another-film', shotId: 'dusk', take: 1 };
      await store.ledger.claimTask(elsewhere, { account: 'account', taskId: 'theirs', model });
      expect(await decide({ kind: 'adopt', taskId: 'theirs' })).toMatchObject({
        recorded: false,
        reason: 'task theirs belongs to take 1 of "dusk" in "another-film"',
      });
    });
  });

  it('to adopt loses to the answer that arrives while the gateway is asked, and leaves the task free', async () => {
    await unclear();
    const { model } = (await submit()).take;
    gateway.answer = async (_request, response) => {
      await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'real', at: AT } });
      json(response, 200, { status: 'success', response: { status: 'PENDING' } });
    };
    expect(await decide({ kind: 'adopt', taskId: 'of-another-shot' })).toEqual({
      recorded: false,
      isOutdated: true,
      reason: expect.stringContaining('task real'),
    });
    expect((await store.ledger.take(ADDRESS))?.decisions).toEqual([]);
    const another = { ...ADDRESS, shotId: 'dusk' };
    const task = { account: 'account', taskId: 'of-another-shot', model };
    expect(await store.ledger.claimTask(another, task)).toMatchObject(another);
  });

  it.each<Decision>([{ kind: 'skip' }, { kind: 'resubmit' }, { kind: 'adopt', taskId: 'other' }])(
    'to $kind does not ignore a late answer that already has its end',
    async (decision) => {
      await unclear();
      const { take } = await submit();
      await store.ledger.settle(ADDRESS, settled('completed', 'late'));
      expect(await decide(decision, { take })).toMatchObject({
        recorded: false,
        isOutdated: true,
        reason: expect.stringContaining('task late'),
      });
    },
  );

  it('to adopt the late answer itself does not ask the gateway, which may have forgotten the task', async () => {
    await unclear();
    const { take } = await submit();
    await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'late', at: AT } });
    gateway.answer = (_request, response) => json(response, 404, {});
    expect(await decide({ kind: 'adopt', taskId: 'late' }, { take })).toEqual({ recorded: true });
  });

  it('that is made twice is recorded twice', async () => {
    gateway.answer = acceptAll();
    for (const count of [1, 2]) {
      expect(await decide({ kind: 'wait' }, { parkedFor: 'overdue' })).toEqual({ recorded: true });
      expect((await store.ledger.take(ADDRESS))?.decisions).toHaveLength(count);
    }
  });

  it('of an attempt that was presumed dead does not override the one after it', async () => {
    await unclear();
    const { take } = await submit();
    expect(await decide({ kind: 'skip' })).toEqual({ recorded: true });
    expect(await decide({ kind: 'resubmit' }, { take, seen: 0 })).toEqual({
      recorded: false,
      isOutdated: true,
      reason: expect.stringContaining('skip'),
    });
    expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'skipped' });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('that is made at the same time as others is the only one recorded, and the others are refused', async () => {
    await unclear();
    const { take } = await submit();
    const input = { take, seen: 0, parkedFor: 'unclear', by: 'person', output: null } as const;
    const all = Array.from({ length: 8 }, (_, index) => ({ kind: index % 2 === 0 ? 'skip' : 'resubmit' }) as const);
    const { decide: note } = bench.activities().decisions;
    const outcomes = await Promise.all(all.map((decision) => bench.run(note, { ...input, decision })));
    const [noted, ...more] = (await store.ledger.take(ADDRESS))!.decisions;
    expect(more).toEqual([]);
    for (const [index, { kind }] of all.entries()) {
      expect(outcomes[index]).toMatchObject(kind === noted!.kind ? { recorded: true } : { isOutdated: true });
    }
  });

  it('that is not recorded in time is not recorded at all', async () => {
    await unclear();
    const { take } = await submit();
    const standsStill: FolderStore['ledger']['take'] = async (address) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return store.ledger.take(address);
    };
    const stalled = { ...store, ledger: { ...store.ledger, take: standsStill } };
    const input = { take, seen: 0, parkedFor: 'unclear', by: 'person', output: null } as const;
    const noted = bench.run(
      bench.activities('account', stalled).decisions.decide,
      { ...input, decision: { kind: 'resubmit' } },
      { scheduleToCloseTimeoutMs: 200 },
    );
    expect(await noted).toMatchObject({ recorded: false });
    expect((await store.ledger.take(ADDRESS))?.decisions).toEqual([]);
  });

  it.each(['notFound', 'timedOut'] as const)(
    'is not recorded if its attempt has waited so long that Temporal has given it up (%s)',
    async (reason) => {
      await unclear();
      const { take } = await submit();
      const environment = new MockActivityEnvironment({ scheduleToCloseTimeoutMs: 60_000 });
      const givenUp: FolderStore['ledger']['take'] = (address) => {
        environment.cancel('NOT_FOUND', new ActivityCancellationDetails({ [reason]: true }));
        return store.ledger.take(address);
      };
      const late = { ...store, ledger: { ...store.ledger, take: givenUp } };
      const seen = { take, seen: 0, parkedFor: 'unclear', by: 'person', output: null } as const;
      const input: DecideInput = { ...seen, decision: { kind: 'resubmit' } };
      const { decide: note } = bench.activities('account', late).decisions;
      const noted = environment.run(note, input);
      expect(await noted).toMatchObject({ recorded: false });
      expect((await store.ledger.take(ADDRESS))?.decisions).toEqual([]);
    },
  );

  describe('to pay for another take', () => {
    it.each([
      ['failed', () => store.ledger.settle(ADDRESS, settled('failed'))],
      ['overdue', () => Promise.resolve(true)],
      ['uncollected', () => store.ledger.settle(ADDRESS, settled('completed'))],
    ] as const)('of one that is %s holds in this render and in later ones', async (parkedFor, end) => {
      const accept = acceptAll();
      gateway.answer = (request, response) =>
        request.method === 'GET' ? tell({ status: 'IN_PROGRESS' })(request, response) : accept(request, response);
      await submit();
      await end();
      expect(await decide({ kind: 'resubmit' }, { parkedFor })).toEqual({ recorded: true });
      expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'accepted', take: { take: 2 } });
      expect(await submit()).toMatchObject({ state: 'accepted', take: { take: 2 }, taskId: 'task-2' });
      expect(gateway.posts()).toHaveLength(2);
    });

    describe('reads the task once before', () => {
      const reads = () => gateway.arrived.filter(({ method }) => method === 'GET').length;
      const decisions = async () => (await store.ledger.take(ADDRESS))?.decisions ?? [];
      const RESULT = { url: 'https://gateway.test/clip.mp4' };

      beforeEach(async () => {
        gateway.answer = acceptAll();
        await submit();
      });

      it.each([
        ['completed', { status: 'COMPLETED', result: RESULT, usage: { credits: 9 } }],
        ['failed', { status: 'FAILED', error: 'no luck', usage: { credits: 9 } }],
      ])('and settles one that has %s in place of paying again', async (state, told) => {
        gateway.answer = tell(told);
        expect(await decide({ kind: 'resubmit', unread: true }, { parkedFor: 'overdue' })).toEqual({
          recorded: false,
          isOutdated: true,
          reason: expect.stringContaining(`task task-1 has ended as ${state}`),
        });
        expect((await store.ledger.take(ADDRESS))?.settled).toMatchObject({ taskId: 'task-1', state, credits: 9 });
        expect(await decisions()).toEqual([]);
        expect(reads()).toBe(1);
      });

      it.each([500, 401, 429, 200])('and says so if it cannot be read: %i', async (status) => {
        gateway.answer = (_request, response) => json(response, status, {});
        expect(await decide({ kind: 'resubmit' }, { parkedFor: 'overdue' })).toEqual({
          recorded: false,
          isOutdated: false,
          reason: expect.stringContaining('--yes'),
        });
        expect(await decisions()).toEqual([]);
        expect(await decide({ kind: 'resubmit', unread: true }, { parkedFor: 'overdue' })).toEqual({ recorded: true });
      });

      it('and pays for another if the gateway no longer knows it', async () => {
        gateway.answer = (_request, response) => json(response, 404, {});
        expect(await decide({ kind: 'resubmit' }, { parkedFor: 'overdue' })).toEqual({ recorded: true });
      });

      it('unless another attempt has recorded its end', async () => {
        await store.ledger.settle(ADDRESS, settled('completed'));
        const outdated = { recorded: false, isOutdated: true };
        expect(await decide({ kind: 'resubmit' }, { parkedFor: 'overdue' })).toMatchObject(outdated);
        expect(reads()).toBe(0);
      });

      it('and lets the shot continue with a late output', async () => {
        await store.ledger.settle(ADDRESS, { ...settled('completed'), raw: '{}' });
        gateway.answer = tell({ status: 'COMPLETED', result: RESULT });
        const outdated = { recorded: false, isOutdated: true, reason: expect.stringContaining('task-1') };
        expect(await decide({ kind: 'resubmit' }, { parkedFor: 'uncollected' })).toMatchObject(outdated);
        expect(await decisions()).toEqual([]);
        const { output } = await ownClip();
        await store.ledger.noteOutput(ADDRESS, 'task-1', output);
        expect(await decide({ kind: 'resubmit' }, { parkedFor: 'uncollected' })).toMatchObject({
          ...{ recorded: false, isOutdated: true },
          reason: expect.stringContaining('has arrived'),
        });
      });

      it('and pays for another only after a second decision if a late output cannot be collected', async () => {
        await store.ledger.settle(ADDRESS, { ...settled('completed'), raw: '{}' });
        gateway.answer = tell({ status: 'COMPLETED', result: RESULT });
        expect(await decide({ kind: 'resubmit' }, { parkedFor: 'uncollected' })).toMatchObject({
          ...{ recorded: false, isOutdated: true },
          reason: expect.stringContaining('--yes'),
        });
        const again = { kind: 'resubmit', unread: true } as const;
        expect(await decide(again, { parkedFor: 'uncollected' })).toEqual({ recorded: true });
      });

      it('and pays for another if the output still cannot be collected', async () => {
        await store.ledger.settle(ADDRESS, { ...settled('completed'), raw: JSON.stringify(RESULT) });
        gateway.answer = tell({ status: 'COMPLETED', result: RESULT });
        expect(await decide({ kind: 'resubmit' }, { parkedFor: 'uncollected' })).toEqual({ recorded: true });
      });
    });

    it('is not done by a resend of an unclear take: its late answer is enough', async () => {
      await unclear();
      const { take } = await submit();
      expect(await decide({ kind: 'resubmit' }, { take })).toEqual({ recorded: true });
      await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'late', at: AT } });
      expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'accepted', take: { take: 1 } });
      expect(gateway.posts()).toHaveLength(1);
    });
  });

  it('to skip holds in later renders until it is taken back', async () => {
    gateway.answer = acceptAll();
    await submit();
    await store.ledger.settle(ADDRESS, settled('failed'));
    await decide({ kind: 'skip' }, { parkedFor: 'failed' });
    expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'skipped' });
    expect(gateway.posts()).toHaveLength(1);
    await decide({ kind: 'resubmit' }, { parkedFor: 'failed' });
    expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'accepted', take: { take: 2 } });
  });

  describe('to use a clip', () => {
    it.each(['decide', 'noteOutput'] as const)('holds, though %s failed in between', async (step) => {
      await unclear();
      const { take } = await submit();
      const { asset, output } = await ownClip();
      const faulty = failingOnce(step);
      const use = () => decide({ kind: 'use', asset }, { take, output }, faulty);
      await expect(use()).rejects.toMatchObject({ type: 'LedgerUnavailable' });
      expect(await use()).toEqual({ recorded: true });
      expect(await submit()).toMatchObject({ state: 'completed', taskId: null, output });
    });

    it.each(['decide', 'noteOutput'] as const)(
      'never stands in for a paid task that is adopted after %s has failed',
      async (step) => {
        await unclear();
        const { asset, output } = await ownClip();
        await expect(decide({ kind: 'use', asset }, { output }, failingOnce(step))).rejects.toThrow('no space left');
        gateway.answer = (_request, response) => {
          const result = { text: 'what was paid for', model: 'beta-2.5' };
          const task = { id: 'paid', status: 'COMPLETED', result, usage: { credits: 9 } };
          json(response, 200, { status: 'success', response: task });
        };
        expect(await decide({ kind: 'adopt', taskId: 'paid' })).toEqual({ recorded: true });
        const adopted = await submit();
        expect(adopted).toMatchObject({ state: 'accepted', taskId: 'paid' });
        const { take } = adopted;
        const { polls, media } = bench.activities();
        await bench.run(polls.awaitTask, { take, taskId: 'paid', acceptedAt: AT, lastRead: true });
        // Outputs recorded before it do not belong to this task.
        expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'paid' });
        const { production } = bench;
        const stored = await bench.run(media.storeOutput, { take, taskId: 'paid', production, output: 'text' });
        expect(await readFile(store.assets.shownPath(stored.asset), 'utf8')).toBe('what was paid for');
      },
    );

    it("in place of another counts only once it is recorded as the take's output", async () => {
      await unclear();
      const first = await ownClip('the first');
      await decide({ kind: 'use', asset: first.asset }, { output: first.output });
      const second = await ownClip('the second');
      const used = decide(
        { kind: 'use', asset: second.asset },
        { parkedFor: 'uncollected', output: second.output },
        failingOnce('noteOutput'),
      );
      await expect(used).rejects.toMatchObject({ type: 'LedgerUnavailable' });
      expect(await submit()).toMatchObject({ state: 'uncollected' });
    });
  });

  it('to use a clip replaces the task; if the clip is lost, the take waits for another decision', async () => {
    await unclear();
    const { asset, output } = await ownClip();
    await decide({ kind: 'use', asset }, { output });
    expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'completed', output });
    await rm(store.assets.shownPath(asset));
    expect(await submit({ renderId: 'render-3' })).toMatchObject({ state: 'uncollected' });
    expect(await decide({ kind: 'resubmit' }, { parkedFor: 'uncollected' })).toEqual({ recorded: true });
    const accept = acceptAll();
    gateway.answer = (request, response) =>
      request.method === 'GET' ? json(response, 404, {}) : accept(request, response);
    // The unclear submit has closed the account's gate for a moment.
    const outcome = await until(() => submit({ renderId: 'render-3' }).catch(() => undefined));
    expect(outcome).toMatchObject({ state: 'accepted', take: { take: 2 } });
  });
});
