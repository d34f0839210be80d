import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { archiveHistories } from '../../client/books';
import { rebuildLedger } from '../../client/books/rebuild-ledger';
import { GENERATIONS, productionWorkflowId } from '../../contracts/identifiers';
import { workflowQueue } from '../../contracts/task-queues';
import { accountHash } from '../../store';
import { startArchiving } from '../../workers/archive-histories';
import { replayHistories } from '../support/replay';
import { betaShot, film, pictureShot, planOf } from '../support/rig';
import { until } from '../support/until';
import { addTake, audited, changeCharge, loseShot, rig, whilePlanted } from './audited-film';
import { address } from './store-with-takes';

describe('histories in the books', () => {
  const signal = new AbortController().signal;

  /** Temporal's index of closed workflows may be a moment behind. */
  const untilAllAreIndexed = (): Promise<true> =>
    until(async () => (await rig.temporal.client.workflow.count('ExecutionStatus = "Running"')).count === 0);

  /** The stored history is complete: it replays. */
  async function replayArchived(): Promise<void> {
    const archive = rig.store.histories;
    const live = await rig.temporal.client.workflow
      .getHandle(productionWorkflowId(rig.store.id, 'film'))
      .fetchHistory();
    const type = live.constructor as unknown as { fromObject(json: unknown): typeof live };
    const histories = await Promise.all(
      (await archive.list('film')).map(async (one) => ({
        workflowId: one.workflowId,
        history: type.fromObject(await archive.read(one)),
      })),
    );
    expect(histories).toHaveLength(3);
    const workflowBundle = { codePath: join(__dirname, '..', '..', 'dist', 'workflow-bundle.js') };
    for await (const { error } of replayHistories({ workflowBundle }, histories)) {
      expect(error).toBeUndefined();
    }
  }

  it('are not compared with takes of another account, which the audit names as not checked', async () => {
    expect(await audited(true, 'film', 'another')).toMatchObject({
      differences: [],
      notChecked: expect.arrayContaining([expect.stringContaining('of other accounts')]),
    });
  });

  it('cause no difference for a task id that the gateway gave twice: the second take is unclear', async () => {
    await rig.render(film('twins', [betaShot('one')]));
    rig.sandbox.faults.inject({ kind: 'accept-same-id' });
    await rig.start(film('twins', [betaShot('one'), betaShot('two')]));
    await until(async () => (await rig.client.status('twins'))?.shots.some(({ state }) => state === 'parked'));
    const { differences } = await audited(true, 'twins');
    expect(differences).toMatchObject([{ kind: 'unclear', shot: 'two', take: 1 }]);
    await rig.client.resolve('twins', 'two', { kind: 'skip' });
    await rig.client.ended('twins');
  });

  it('are archived once when they are closed, and are then used without Temporal', async () => {
    const taskQueue = workflowQueue({ account: accountHash('sandbox'), storeId: rig.store.id });
    const archivedRunIds = new Set<string>();
    const options = { temporal: rig.temporal.client, store: rig.store, taskQueue, signal, archivedRunIds };
    const archive = rig.store.histories;
    const { workflow } = options.temporal;
    const getHandle = jest.spyOn(workflow, 'getHandle').mockImplementation(() => {
      throw new Error('Temporal is away');
    });
    await until(() =>
      archiveHistories(options).then(
        () => false,
        (error: unknown) => String(error).includes('Temporal is away'),
      ),
    );
    getHandle.mockRestore();
    await untilAllAreIndexed();
    // A full disk stops the sweep, so that it does not read the other histories in vain.
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    jest.spyOn(archive, 'put').mockRejectedValueOnce(full);
    const read = jest.spyOn(workflow, 'getHandle');
    await expect(archiveHistories(options)).rejects.toThrow(full);
    expect(read).toHaveBeenCalledTimes(1);
    // One history that cannot be archived does not stop the others.
    jest.spyOn(workflow, 'getHandle').mockImplementationOnce(() => {
      throw new Error('Temporal is away');
    });
    await expect(archiveHistories(options)).rejects.toThrow('Temporal is away');
    expect(await archiveHistories(options)).toBe(1);
    expect(await archive.list('film')).toHaveLength(3);
    const has = jest.spyOn(rig.store.histories, 'has');
    expect(await archiveHistories(options)).toBe(0);
    expect(has).not.toHaveBeenCalled();
    has.mockRestore();
    expect(await archiveHistories({ ...options, archivedRunIds: new Set() })).toBe(0);
    expect((await audited()).checked).toMatchObject({ histories: 3, archivedHistories: 3 });

    await replayArchived();
    const { differences, checked } = await audited(false);
    expect({ differences, histories: checked.histories }).toEqual({ differences: [], histories: 3 });
    expect(await whilePlanted(loseShot, false)).toMatchObject([{ kind: 'task-not-in-ledger', shot: 'one' }]);
    expect(await whilePlanted(changeCharge, false)).toHaveLength(2);
    // Temporal was not asked, so it is unknown whether there is a history.
    expect((await whilePlanted(addTake, false)).map(({ kind }) => kind)).not.toContain('take-without-history');
  });

  it('of single tasks are archived too, so that they can be audited without Temporal', async () => {
    const production = film(GENERATIONS, [pictureShot('poster')]);
    const [shot] = planOf(production).shots;
    const ref = await rig.store.putJson(production);
    await rig.client.generate({ generationId: 'poster', production: ref, shot: shot!, mode: 'submit' });
    await untilAllAreIndexed();
    const taskQueue = workflowQueue({ account: accountHash('sandbox'), storeId: rig.store.id });
    await archiveHistories({ temporal: rig.temporal.client, store: rig.store, taskQueue, signal });
    expect(await rig.store.histories.list(GENERATIONS)).toHaveLength(1);
    expect(await rig.store.productions.ids()).not.toContain(GENERATIONS);
    const { differences, checked } = await audited(false, GENERATIONS);
    expect({ differences, archived: checked.archivedHistories }).toEqual({ differences: [], archived: 1 });
  });

  it('are archived by a worker in the background, and the last of them when it stops', async () => {
    const connection = await NativeConnection.connect({ address: rig.server.address });
    const notices: string[] = [];
    const onNotice = (line: string): void => void notices.push(line);
    const taskQueue = workflowQueue({ account: accountHash('sandbox'), storeId: rig.store.id });
    const common = { connection, namespace: 'default', store: rig.store, taskQueue, onNotice };
    const archiving = startArchiving(common);
    await rig.render(film('second', [betaShot('one')]));
    // Its start may not be indexed yet.
    const second = `WorkflowId = "${productionWorkflowId(rig.store.id, 'second')}"`;
    await until(async () => (await rig.temporal.client.workflow.count(second)).count === 1);
    await untilAllAreIndexed();
    await archiving.stop();
    expect(await readdir(join(rig.store.folder, 'productions/second/histories'))).toHaveLength(2);
    expect(notices).toEqual([]);
    await connection.close();
  });

  it('restore a missing intent; the audit says what to type', async () => {
    const loseIntent = async (ledger: string): Promise<void> => {
      for (const record of ['intent', 'sent-1', 'answered-1', 'accepted-1'])
        await rm(join(ledger, `one/1/${record}.json`));
    };
    expect(await whilePlanted(loseIntent)).toContainEqual({
      kind: 'records-broken',
      shot: 'one',
      command: 'dailies ledger film --rebuild',
    });
    const mended = async (ledger: string): Promise<void> => {
      await loseIntent(ledger);
      await rebuild();
    };
    expect(await whilePlanted(mended)).toEqual([]);
  });

  it('restore the end and output of a task, even for a take that no render requests any more', async () => {
    const before = (await rig.store.ledger.take(address('one')))!;
    const loseEnd = async (ledger: string): Promise<void> => {
      for (const record of ['settled', 'output']) await rm(join(ledger, `one/1/${record}.json`));
    };
    expect((await whilePlanted(loseEnd)).toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { kind: 'end-not-in-ledger', shot: 'one', command: 'dailies ledger film --rebuild' },
      { kind: 'not-collected', shot: 'one', command: 'dailies ledger film --rebuild' },
    ]);
    const mended = async (ledger: string): Promise<void> => {
      await loseEnd(ledger);
      expect(await rebuild('another')).toEqual([]);
      expect(await rebuild()).toEqual([{ shot: 'one', take: 1, task: before.settled!.taskId, left: null }]);
      expect(await rebuild()).toEqual([]);
      const { settled, output } = (await rig.store.ledger.take(address('one')))!;
      expect(settled).toMatchObject({ state: 'completed', credits: before.settled!.credits });
      expect(output).toEqual({ ...before.output, at: expect.any(String) });
    };
    expect(await whilePlanted(mended)).toEqual([]);
  });

  it('show a charge that the ledger does not have; the gateway shows it too', async () => {
    expect(await whilePlanted(changeCharge)).toEqual([
      { kind: 'charge-differs', shot: 'one', command: null },
      { kind: 'charge-differs', shot: 'one', command: null },
    ]);
  });

  it('miss a take that only the ledger has', async () => {
    expect(await whilePlanted(addTake)).toContainEqual({ kind: 'take-without-history', shot: 'three', command: null });
  });
});

const rebuild = (account = 'sandbox') =>
  rebuildLedger({ store: rig.store, account, production: 'film', temporal: rig.temporal.client });
