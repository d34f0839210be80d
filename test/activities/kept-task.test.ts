import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FrozenProductions } from '../../activities/frozen-productions';
import { createKeepTask } from '../../activities/kept-task';
import { type AskedTask, type SubmitOutcome, type TaskInput, type TaskOutcome } from '../../contracts/activities';
import { type AssetRef } from '../../contracts/asset';
import { canonicalJson, ledgerState, type FolderStore, type TakeHistory } from '../../store';
import { writeBackup } from '../../store/backup/backup';
import { restoreBackup } from '../../store/backup/restore';
import { type ActivityBench, acceptedTake, oneShotFilm, startBench } from '../support/activity-bench';
import { ADDRESS, settled } from '../support/ledger-fixtures';
import { json, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { temporaryFolder } from '../support/temporary-folder';

const SECOND = { ...ADDRESS, take: 2 };

/** A workflow knows a paid task; meanwhile the ledger was lost and restored from an older backup. */
describe('a task that only its workflow knows', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  /** A backup of the time before the submit. */
  let backup: string;
  let task: Awaited<ReturnType<typeof acceptedTake>>;
  let asked: AskedTask;

  beforeEach(async () => {
    let posts = 0;
    gateway = await startScriptedGateway((request, response) => {
      if (request.method === 'POST') {
        posts += 1;
        return json(response, 200, { status: 'success', response: { id: `task-${posts}`, status: 'ACCEPTED' } });
      }
      const id = request.path.split('/').find((part) => part.startsWith('task-')) ?? '';
      const ended = { id, status: 'COMPLETED', result: { url: `${gateway.url}/files/clip` }, usage: { credits: 21 } };
      return json(response, 200, { status: 'success', response: ended });
    });
    bench = await startBench(gateway.url, 'key', oneShotFilm());
    backup = join(await temporaryFolder(), 'backup');
    await writeBackup(bench.store.folder, backup);
    task = await acceptedTake(bench);
    const { production, renderId, attempt, sibling } = bench.input;
    asked = { production, renderId, attempt, sibling, links: [] };
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  async function loseLedger(): Promise<void> {
    for (const root of ['ledger', 'tasks']) await rm(join(bench.store.folder, root), { recursive: true, force: true });
  }

  async function restore(): Promise<void> {
    await loseLedger();
    await restoreBackup(bench.store.folder, backup, { nothingSentSince: false });
  }

  const awaitTask = (of: Partial<{ asked: AskedTask }> = { asked }): Promise<TaskOutcome> =>
    bench.run(bench.activities().polls.awaitTask, { ...task, ...of, lastRead: true });

  const submit = (input: Partial<TaskInput> = {}): Promise<SubmitOutcome> =>
    bench.run(bench.activities().submits.submitTask, { ...bench.input, ...input });

  const otherWish = (): Promise<AssetRef> => bench.store.putJson(oneShotFilm({ prompt: 'another wish' }));

  const takeAt = (address = ADDRESS): Promise<TakeHistory | undefined> => bench.store.ledger.take(address);

  it('is recorded again with its request, and a later submit of the same finds it', async () => {
    const before = await takeAt();
    await restore();
    expect(await awaitTask()).toEqual({ state: 'completed', credits: 21 });
    const { takeKey, askKey, count, renderId, model, parameters } = before!.intent;
    expect((await takeAt())!.intent).toMatchObject({ takeKey, askKey, count, renderId, model, parameters });
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: task.taskId });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('is recorded only when the disk can be read, since its record is final', async () => {
    await restore();
    const shot = jest.fn().mockRejectedValue(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
    const productions = { shot } as unknown as FrozenProductions;
    const keep = createKeepTask('account', bench.store, productions);
    await expect(keep({ ...task, asked })).rejects.toMatchObject({ type: 'StoreUnavailable' });
    expect(await takeAt()).toBeUndefined();
    shot.mockRejectedValue(new Error('not in the store'));
    await keep({ ...task, asked });
    expect(await takeAt()).toBeDefined();
  });

  it('is found by its key alone if an older workflow does not know the request', async () => {
    await restore();
    await awaitTask({});
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: task.taskId });
    await restore();
    await awaitTask({});
    expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'accepted', taskId: task.taskId });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('does not touch the take that has its number, and is kept under the next one', async () => {
    await loseLedger();
    const production = await otherWish();
    const other = await submit({ production });
    await awaitTask();
    expect(await takeAt()).toMatchObject({ intent: { takeKey: other.take.takeKey } });
    expect((await takeAt())!.settled).toBeUndefined();
    expect(await takeAt(SECOND)).toMatchObject({
      intent: { takeKey: task.take.takeKey },
      settled: { taskId: task.taskId, credits: 21 },
    });
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: task.taskId });
    expect(await submit({ production })).toMatchObject({ state: 'accepted', taskId: 'task-2' });
    expect(gateway.posts()).toHaveLength(2);
  });

  it('is a late answer to the take that the restore holds, which then needs no decision', async () => {
    await restore();
    expect(await submit()).toMatchObject({ state: 'unclear' });
    gateway.answer = (_request, response) =>
      json(response, 200, { status: 'success', response: { id: task.taskId, status: 'ACCEPTED' } });
    expect(await awaitTask()).toEqual({ state: 'pending' });
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: task.taskId });
    expect(gateway.posts()).toHaveLength(1);
  });

  it("is booked if the backup has only the gateway's answer", async () => {
    await rm(join(bench.store.folder, 'ledger/film/dawn/1/accepted-1.json'));
    await awaitTask();
    expect((await takeAt())!.sendings).toMatchObject([{ accepted: { taskId: task.taskId } }]);
    expect((await takeAt())!.sendings).toHaveLength(1);
  });

  it('repairs a folder without an intent that an older version left', async () => {
    await loseLedger();
    const folder = join(bench.store.folder, 'ledger/film/dawn/1');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'settled.json'), JSON.stringify(settled('completed', task.taskId)));
    await expect(submit()).rejects.toMatchObject({ type: 'LedgerUnavailable' });
    await awaitTask();
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: task.taskId });
    expect(await takeAt()).toMatchObject({ sendings: [{ n: 1, accepted: { taskId: task.taskId } }] });
  });

  it('does not use a folder without an intent whose sending may be of another task', async () => {
    await loseLedger();
    const folder = join(bench.store.folder, 'ledger/film/dawn/1');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'settled.json'), JSON.stringify(settled('completed', task.taskId)));
    await writeFile(join(folder, 'sent-1.json'), '{}');
    await awaitTask();
    await expect(takeAt()).rejects.toThrow('lacks its intent');
    expect(await takeAt(SECOND)).toMatchObject({ settled: { taskId: task.taskId } });
  });

  it('is not paid for again if the rebuild was interrupted after the intent', async () => {
    await loseLedger();
    const { ledger } = bench.store;
    const cut: FolderStore = {
      ...bench.store,
      ledger: { ...ledger, beginSending: () => Promise.reject(new Error('killed')) },
    };
    const { polls } = bench.activities('account', cut);
    await expect(bench.run(polls.awaitTask, { ...task, asked, lastRead: true })).rejects.toThrow('killed');
    expect(ledgerState((await takeAt())!).is).toBe('sendable');
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: task.taskId });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('stays with the take for which a person has adopted it since, and its workflow learns that', async () => {
    await restore();
    const { take, decisions } = await submit({ production: await otherWish() });
    const decision = { kind: 'adopt', taskId: task.taskId } as const;
    const common = { seen: decisions, parkedFor: 'unclear', by: 'person', output: null } as const;
    await bench.run(bench.activities().decisions.decide, { take, decision, ...common });
    const before = canonicalJson(await takeAt());
    await expect(awaitTask()).rejects.toMatchObject({ type: 'TakeMismatch', nonRetryable: true });
    const output = { asset: task.take, firstFrame: null, lastFrame: null, warnings: [] } as never;
    await expect(
      bench.run(bench.activities().media.lastFrame, { take: task.take, taskId: task.taskId, output, asked }),
    ).rejects.toMatchObject({ type: 'TakeMismatch' });
    expect(canonicalJson(await takeAt())).toBe(before);
    expect(await takeAt(SECOND)).toBeUndefined();
  });

  it('is kept as a second task of a take that continues with another one', async () => {
    await restore();
    const { take, decisions: seen } = await submit();
    const decision = { kind: 'resubmit' } as const;
    const decide = { take, seen, decision, parkedFor: 'unclear', by: 'person', output: null } as const;
    await bench.run(bench.activities().decisions.decide, decide);
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'task-2' });
    await expect(awaitTask()).rejects.toMatchObject({ type: 'TakeMismatch' });
    expect((await takeAt())!.sendings.at(-1)).toMatchObject({
      accepted: { taskId: 'task-2' },
      alsoAccepted: { taskId: task.taskId },
    });
  });

  it('records no decision about the take that has its number', async () => {
    await loseLedger();
    await submit({ production: await otherWish() });
    const common = { take: task.take, seen: 0, by: 'person', output: null } as const;
    const { decide } = bench.activities().decisions;
    const unclear = { ...common, decision: { kind: 'resubmit' }, parkedFor: 'unclear' } as const;
    expect(await bench.run(decide, unclear)).toMatchObject({ recorded: false, isOutdated: true });
    const failed = { ...unclear, parkedFor: 'failed', taskId: task.taskId } as const;
    expect(await bench.run(decide, failed)).toEqual({ recorded: true });
    expect((await takeAt())!.decisions).toEqual([]);
    expect((await takeAt(SECOND))!.decisions).toMatchObject([{ kind: 'resubmit', by: 'person' }]);
  });

  it('is chosen by its key, whatever its number', async () => {
    await loseLedger();
    await submit({ production: await otherWish() });
    await awaitTask();
    const chosen = await bench.run(bench.activities().decisions.chooseTake, {
      task: bench.input,
      take: 1,
      takeKey: task.take.takeKey,
      by: 'person',
    });
    expect(chosen?.taken).toMatchObject({ take: { take: 2 }, taskId: task.taskId });
  });

  it('is recorded although the ledger is replaced while the answer is on its way', async () => {
    await loseLedger();
    const answer = gateway.answer;
    gateway.answer = async (request, response) => {
      if (request.method === 'POST') await loseLedger();
      await answer(request, response);
    };
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'task-2' });
    expect((await takeAt())!.sendings).toMatchObject([{ n: 1, accepted: { taskId: 'task-2' } }]);
    expect(gateway.posts()).toHaveLength(2);
  });
});
