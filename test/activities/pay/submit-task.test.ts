import fs from 'node:fs';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SubmitOutcome, type TaskInput } from '../../../contracts/activities';
import { type FolderStore } from '../../../store';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import { filesWith } from '../../support/files-with';
import { keptPieces } from '../../support/kept-pieces';
import { ADDRESS, AT, settled } from '../../support/ledger-fixtures';
import { until } from '../../support/until';
import { acceptAll, json, type ScriptedGateway, startScriptedGateway } from '../../support/scripted-gateway';

const KEY = 'sk-very-secret-key-of-the-account';

const FILM = oneShotFilm();

describe('submitTask', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let store: FolderStore;

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    bench = await startBench(gateway.url, KEY, FILM);
    ({ store } = bench);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await bench.close();
    await gateway.close();
  });

  function submit(changes: Partial<TaskInput> = {}, account?: string): Promise<SubmitOutcome> {
    return bench.run(bench.activities(account).submits.submitTask, { ...bench.input, ...changes });
  }

  it('sends once, and a second attempt finds the task', async () => {
    const first = await submit();
    expect(first).toMatchObject({ state: 'accepted', taskId: 'task-1', take: { take: 1, shotId: 'dawn' } });
    expect(await submit()).toEqual(first);
    expect(gateway.posts()).toHaveLength(1);
    expect(gateway.posts()[0]?.headers['idempotency-key']).toBe(first.take.takeKey);
  });

  it('sends once although many attempts run side by side, in many processes', async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => submit()));
    expect(gateway.posts()).toHaveLength(1);
    expect(new Set(outcomes.map((outcome) => ('taskId' in outcome ? outcome.taskId : outcome.state)))).toEqual(
      new Set(['task-1']),
    );
  });

  describe('if the file system of the ledger fails or shows stale listings', () => {
    const through = (beginSending: FolderStore['ledger']['beginSending']): FolderStore => ({
      ...store,
      ledger: { ...store.ledger, beginSending },
    });
    const submitThrough = (beginSending: FolderStore['ledger']['beginSending']) =>
      bench.persist(bench.activities('account', through(beginSending)).submits.submitTask, bench.input);

    it('gives back the right to send that was recorded although the store returned an error', async () => {
      let isBroken = true;
      const { result, failures } = await submitThrough(async (take, n, sent) => {
        const isOurs = await store.ledger.beginSending(take, n, sent);
        if (!isBroken) return isOurs;
        isBroken = false;
        throw Object.assign(new Error('EIO: fsync'), { code: 'EIO' });
      });
      expect(failures).toEqual(['LedgerUnavailable']);
      expect(result).toMatchObject({ state: 'accepted', taskId: 'task-1' });
      const { sendings } = (await store.ledger.take(ADDRESS))!;
      expect(sendings).toMatchObject([{ refused: { again: true } }, { accepted: { taskId: 'task-1' } }]);
      expect(gateway.posts()).toHaveLength(1);
    });

    it('gives back no sending that another attempt has begun', async () => {
      const broken = through(async (take, n, sent) => {
        await store.ledger.beginSending(take, n, { ...sent, by: 'another' });
        throw Object.assign(new Error('EIO: fsync'), { code: 'EIO' });
      });
      const run = bench.run(bench.activities('account', broken).submits.submitTask, bench.input);
      await expect(run).rejects.toMatchObject({ type: 'LedgerUnavailable' });
      expect((await store.ledger.take(ADDRESS))?.sendings).toMatchObject([{ n: 1, sent: { by: 'another' } }]);
      expect((await store.ledger.take(ADDRESS))?.sendings[0]?.refused).toBeUndefined();
    });

    it('pauses before it looks again if another attempt has begun but its record is not visible', async () => {
      let looks = 0;
      const run = bench.run(
        bench.activities(
          'account',
          through(() => {
            looks += 1;
            return Promise.resolve(false);
          }),
        ).submits.submitTask,
        bench.input,
      );
      await expect(run).rejects.toMatchObject({ type: 'AnswerAwaited' });
      expect(looks).toBeLessThan(10);
      expect(gateway.posts()).toEqual([]);
    });
  });

  it('sends once for another render of the same request', async () => {
    await submit();
    expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'accepted', taskId: 'task-1' });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('fails for good, and claims nothing, if its start frame is missing', async () => {
    const [shot] = FILM.shots;
    const files = { startFrame: { kind: 'link', shot: 'night', frame: 'last' } } as const;
    const production = await store.putJson({ ...FILM, shots: [{ ...shot, files }] });
    await expect(submit({ production })).rejects.toMatchObject({ type: 'AssetMissing', nonRetryable: true });
    const task = { ...bench.input, production };
    await expect(
      bench.run(bench.activities().decisions.chooseTake, { task, take: null, by: 'first' }),
    ).rejects.toMatchObject({ type: 'AssetMissing', nonRetryable: true });
    expect(await store.ledger.takes('film', 'dawn')).toEqual([]);
  });

  it('does not resend a task that may have been accepted', async () => {
    gateway.answer = (_request, response) => json(response, 500, { error: 'boom' });
    expect(await submit()).toMatchObject({ state: 'unclear', reason: expect.stringContaining('500') });
    gateway.answer = acceptAll();
    expect(await submit()).toMatchObject({ state: 'unclear' });
    expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'unclear' });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('calls a submit unclear whose connection was cut after the request left', async () => {
    gateway.answer = (_request, response) => void response.destroy();
    expect(await submit()).toMatchObject({ state: 'unclear' });
    expect(await submit()).toMatchObject({ state: 'unclear' });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('sends nothing that the budget has not allowed, and sends once with each permit', async () => {
    const asked = await submit({ permit: null });
    expect(asked).toMatchObject({ state: 'unreserved', reservation: { shotId: 'dawn', sending: 1 } });
    const { takeKey } = asked.take;
    expect(await submit({ permit: { takeKey: 'of another take', sending: 1 } })).toEqual(asked);
    expect(gateway.posts()).toHaveLength(0);
    gateway.answer = (_request, response) => json(response, 500, {});
    expect(await submit({ permit: { takeKey, sending: 1 } })).toMatchObject({ state: 'unclear' });
    await store.ledger.decide(ADDRESS, 1, { kind: 'resubmit', by: 'person', afterSending: 1, at: AT });
    expect(await submit({ permit: { takeKey, sending: 1 } })).toMatchObject({ state: 'unreserved' });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('is retried after the time that a throttling gateway names, and then sends the same take', async () => {
    gateway.answer = (_request, response) => json(response, 429, {}, { 'retry-after': '7' });
    await expect(submit()).rejects.toMatchObject({
      type: 'GatewayThrottled',
      nextRetryDelay: 7_000,
      nonRetryable: false,
    });
    gateway.answer = acceptAll();
    expect(await submit()).toMatchObject({ state: 'accepted', take: { take: 1 } });
    expect((await store.ledger.take(ADDRESS))?.sendings.map(({ n }) => n)).toEqual([1, 2]);
  });

  it('is retried while the gateway cannot be reached, and records that nothing was accepted', async () => {
    await gateway.close();
    await expect(submit()).rejects.toMatchObject({ type: 'GatewayDown', nonRetryable: false });
    const [sending] = (await store.ledger.take(ADDRESS))?.sendings ?? [];
    expect(sending?.refused).toMatchObject({ again: true });
  });

  it('records a refusal for lack of credits, for commands without Temporal', async () => {
    gateway.answer = (_request, response) => json(response, 402, { error: { message: 'buy some' } });
    expect(await submit()).toMatchObject({ state: 'refused', kind: 'credits' });
    const [sending] = (await store.ledger.take(ADDRESS))?.sendings ?? [];
    expect(sending?.refused).toMatchObject({ again: true, kind: 'credits' });
  });

  it('records a refusal as a conflict: the gateway may have a task with that key', async () => {
    gateway.answer = (_request, response) => json(response, 409, { error: { message: 'this key was used' } });
    await submit();
    const [sending] = (await store.ledger.take(ADDRESS))?.sendings ?? [];
    expect(sending?.refused).toMatchObject({ again: false, kind: 'conflict' });
  });

  it('waits, and has sent nothing, while the disk is short of space', async () => {
    await seenFree(0.5);
    // It also works if nothing can be removed.
    jest.spyOn(fs.promises, 'rm').mockRejectedValue(Object.assign(new Error('read-only'), { code: 'EROFS' }));
    await expect(submit()).rejects.toMatchObject({ type: 'StoreUnavailable', nonRetryable: false });
    expect(gateway.posts()).toEqual([]);
  });

  it('makes room by removing clips rendered ahead of films', async () => {
    const pieces = store.films.pieces('another');
    await pieces.open();
    await pieces.keep('a recipe', (path) => writeFile(path, 'a piece'));
    await seenFree(2);
    expect(await submit()).toMatchObject({ state: 'accepted' });
    expect(await keptPieces(store)).toHaveLength(1);

    await seenFree(0.5, 2);
    const [dawn] = FILM.shots;
    const production = await store.putJson({ ...FILM, shots: [{ ...dawn, id: 'dusk' }] });
    expect(await submit({ production, shotId: 'dusk' })).toMatchObject({ state: 'accepted' });
    expect(await keptPieces(store)).toEqual([]);
  });

  /** The free space that each check finds, in gibibytes; the last value repeats. */
  async function seenFree(...gibibytes: readonly number[]): Promise<void> {
    const real = await fs.promises.statfs(store.folder);
    const seen = gibibytes.map((count) =>
      Object.assign(Object.create(real) as typeof real, { bavail: count * 1024, bsize: 1024 ** 2 }),
    );
    const statfs = jest.spyOn(fs.promises, 'statfs').mockResolvedValue(seen.at(-1)!);
    for (const one of seen.slice(0, -1)) statfs.mockResolvedValueOnce(one);
  }

  it('returns a refusal with the gateway’s reason; only the next render makes a new take', async () => {
    gateway.answer = (_request, response) => json(response, 400, { error: { message: 'prompt is too dark' } });
    expect(await submit()).toMatchObject({ state: 'refused', reason: expect.stringContaining('prompt is too dark') });
    gateway.answer = acceptAll();
    expect(await submit()).toMatchObject({ state: 'refused', take: { take: 1 } });
    expect(gateway.posts()).toHaveLength(1);
    expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'accepted', take: { take: 2 } });
    expect(gateway.posts()).toHaveLength(2);
  });

  it('does not pay again for a task that failed within this render', async () => {
    await submit();
    await store.ledger.settle(ADDRESS, settled('failed'));
    expect(await submit()).toMatchObject({ state: 'failed', reason: 'no luck', credits: 12 });
    expect(gateway.posts()).toHaveLength(1);
    expect(await submit({ attempt: 2 })).toMatchObject({ state: 'accepted', taskId: 'task-2', take: { take: 2 } });
    expect(await submit({ renderId: 'render-2' })).toMatchObject({ state: 'accepted', taskId: 'task-2' });
    expect(gateway.posts()).toHaveLength(2);
  });

  it('finds the output of a completed take, and collects it again if it is missing', async () => {
    await submit();
    await store.ledger.settle(ADDRESS, settled('completed'));
    const asset = await store.assets.putBytes(Buffer.from('text'), {
      mediaType: 'text/plain',
      durationSeconds: null,
      width: null,
      height: null,
    });
    await store.ledger.noteOutput(ADDRESS, 'task-1', { asset, firstFrame: null, lastFrame: null, warnings: [] });
    expect(await submit({ renderId: 'render-2' })).toMatchObject({
      state: 'completed',
      credits: 12,
      output: { asset },
    });
    await rm(store.assets.shownPath(asset));
    expect(await submit({ renderId: 'render-3' })).toMatchObject({ state: 'accepted', taskId: 'task-1' });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('waits for another sender, and uses its acceptance', async () => {
    await claim();
    await store.ledger.beginSending(ADDRESS, 1, {
      at: AT,
      until: new Date(Date.now() + 60_000).toISOString(),
      mode: 'submit',
    });
    // It is patient for seconds, which none of these are, however busy the machine is.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const waiting = submit();
    setTimeout(() => {
      void store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'from-the-other', at: AT } });
    }, 700);
    expect(await waiting).toMatchObject({ state: 'accepted', taskId: 'from-the-other' });
    expect(gateway.posts()).toHaveLength(0);
  });

  it('gives up its slot while another sender may still get its answer', async () => {
    await claim();
    const until = new Date(Date.now() + 60_000).toISOString();
    await store.ledger.beginSending(ADDRESS, 1, { at: AT, until, mode: 'submit' });
    await expect(submit()).rejects.toMatchObject({
      type: 'AnswerAwaited',
      nonRetryable: false,
      nextRetryDelay: expect.any(Number),
    });
    await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'from-the-other', at: AT } });
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'from-the-other' });
    expect(gateway.posts()).toHaveLength(0);
  });

  it('marks a sending unclear if its sender is gone and its time is over', async () => {
    await claim();
    await store.ledger.beginSending(ADDRESS, 1, { at: AT, until: AT, mode: 'submit' });
    expect(await submit()).toMatchObject({ state: 'unclear' });
    expect(gateway.posts()).toHaveLength(0);
    await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'late', at: AT } });
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'late' });
  });

  it.each(['claimTask', 'endSending'] as const)(
    'uses the answer that a sender recorded before it was lost, without waiting: %s never came',
    async (step) => {
      let comeBack = (): void => undefined;
      const absence = new Promise<void>((resolve) => (comeBack = resolve));
      const { ledger } = store;
      const absent: FolderStore['ledger'] = {
        ...ledger,
        async claimTask(...args) {
          if (step === 'claimTask') await absence;
          return ledger.claimTask(...args);
        },
        async endSending(take, n, end) {
          if (end.kind === 'accepted') await absence;
          return ledger.endSending(take, n, end);
        },
      };
      const { submitTask } = bench.activities('account', { ...store, ledger: absent }).submits;
      const gone = bench.run(submitTask, bench.input);
      await until(async () => (await ledger.take(ADDRESS))?.sendings[0]?.answered);
      expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'task-1' });
      const [sending] = (await ledger.take(ADDRESS))!.sendings;
      expect(sending).toMatchObject({ accepted: { taskId: 'task-1' } });
      comeBack();
      expect(await gone).toMatchObject({ state: 'accepted', taskId: 'task-1' });
      expect(gateway.posts()).toHaveLength(1);
    },
  );

  it('uses an answer that was recorded after the take became unclear, and never booked', async () => {
    gateway.answer = (_request, response) => json(response, 500, {});
    const { take, decisions: seen } = await submit();
    await noteAnswer('late');
    const { decide } = bench.activities().decisions;
    const again = {
      take,
      seen,
      parkedFor: 'unclear',
      decision: { kind: 'resubmit' },
      by: 'policy',
      output: null,
    } as const;
    expect(await bench.run(decide, again)).toMatchObject({ recorded: false, isOutdated: true });
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'late' });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('does not accept such an answer if it names the task of another take', async () => {
    await claim();
    const sender = { at: AT, until: new Date(Date.now() + 60_000).toISOString(), mode: 'submit' } as const;
    await store.ledger.beginSending(ADDRESS, 1, sender);
    const theirs = { account: 'account', taskId: 'theirs', model: {} };
    await store.ledger.claimTask({ ...ADDRESS, shotId: 'dusk' }, theirs);
    await noteAnswer('theirs');
    expect(await submit()).toMatchObject({ state: 'unclear', reason: expect.stringContaining('"dusk" in "film"') });
    expect(await submit()).toMatchObject({ state: 'unclear' });
  });

  it('keeps its accepted task although a person has adopted another one meanwhile', async () => {
    const accept = acceptAll();
    gateway.answer = async (request, response) => {
      await store.ledger.endSending(ADDRESS, 1, { kind: 'accepted', record: { taskId: 'adopted', at: AT } });
      return accept(request, response);
    };
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'adopted' });
    const [sending] = (await store.ledger.take(ADDRESS))!.sendings;
    expect(sending).toMatchObject({ accepted: { taskId: 'adopted' }, alsoAccepted: { taskId: 'task-1' } });
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'adopted' });
    expect(gateway.posts()).toHaveLength(1);
  });

  it('does not use a right to send after it stalled; the next attempt sends under a new one', async () => {
    // As if the process is stopped, or the machine sleeps, between the record and the request.
    const beginSending: FolderStore['ledger']['beginSending'] = async (take, n, sent) => {
      const isOurs = await store.ledger.beginSending(take, n, sent);
      if (n === 1) await new Promise((resolve) => setTimeout(resolve, 3_200));
      return isOurs;
    };
    const stalling: FolderStore = { ...store, ledger: { ...store.ledger, beginSending } };
    const { submitTask } = bench.activities('account', stalling).submits;
    const stalled = bench.run(submitTask, bench.input);
    await expect(stalled).rejects.toMatchObject({ type: 'WorkerStalled', nonRetryable: false });
    expect(gateway.posts()).toHaveLength(0);
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'task-1' });
    const [first, second] = (await store.ledger.take(ADDRESS))!.sendings;
    expect(first).toMatchObject({ n: 1, refused: { again: true, reason: expect.stringContaining('stood still') } });
    expect(first?.accepted).toBeUndefined();
    expect(second).toMatchObject({ n: 2, accepted: { taskId: 'task-1' } });
  });

  it('sends nothing, and gives back its right to send, if Temporal does not confirm the attempt', async () => {
    const givenUp = (): Promise<void> => Promise.reject(new Error('ActivityNotFoundError: Not found'));
    const { submitTask } = bench.activities('account', store, undefined, undefined, givenUp).submits;
    await expect(bench.run(submitTask, bench.input)).rejects.toMatchObject({
      type: 'WorkerStalled',
      nonRetryable: false,
      message: expect.stringContaining('ActivityNotFoundError: Not found; nothing was sent'),
    });
    expect(gateway.posts()).toHaveLength(0);
    const refused = { again: true, reason: expect.stringContaining('nothing was sent') };
    expect((await store.ledger.take(ADDRESS))!.sendings).toMatchObject([{ refused }]);
    expect(await submit()).toMatchObject({ state: 'accepted', taskId: 'task-1' });
  });

  it('asks Temporal only when its right to send is recorded, waits two seconds at most, and pauses longer each time', async () => {
    let sent: boolean | undefined;
    const never = async (): Promise<void> => {
      sent = (await store.ledger.take(ADDRESS))?.sendings[0]?.sent !== undefined;
      return new Promise(() => undefined);
    };
    const { submitTask } = bench.activities('account', store, undefined, undefined, never).submits;
    await expect(bench.run(submitTask, bench.input, { attempt: 5 })).rejects.toMatchObject({
      type: 'WorkerStalled',
      nextRetryDelay: 16_000,
    });
    expect(sent).toBe(true);
    expect(gateway.posts()).toHaveLength(0);
  });

  it('does not send after a stall, even if its clock was set back meanwhile', async () => {
    const now = Date.now();
    const beginSending: FolderStore['ledger']['beginSending'] = async (take, n, sent) => {
      const isOurs = await store.ledger.beginSending(take, n, sent);
      await new Promise((resolve) => setTimeout(resolve, 3_200));
      jest.spyOn(Date, 'now').mockReturnValue(now - 60_000);
      return isOurs;
    };
    const stalling: FolderStore = { ...store, ledger: { ...store.ledger, beginSending } };
    const { submitTask } = bench.activities('account', stalling).submits;
    await expect(bench.run(submitTask, bench.input)).rejects.toMatchObject({ type: 'WorkerStalled' });
    expect(gateway.posts()).toHaveLength(0);
  });

  it('sends nothing when the ledger cannot be written', async () => {
    await mkdir(store.folder, { recursive: true });
    await writeFile(join(store.folder, 'ledger'), 'in the way');
    await expect(submit()).rejects.toMatchObject({ type: 'LedgerUnavailable', nonRetryable: false });
    expect(gateway.arrived).toHaveLength(0);
  });

  it.each<[string, (intent: string) => Promise<void>]>([
    ['is lost', (path) => rm(path)],
    ['was cut short', (path) => truncate(path, 10)],
    ['is empty', (path) => truncate(path)],
  ])(
    'buys nothing while the intent of one of the shot’s takes %s, since that take may be the same request',
    async (_w, harm) => {
      await submit();
      const folder = join(store.folder, 'ledger/film/dawn/1');
      await harm(join(folder, 'intent.json'));
      const before = await contentsOf(folder);
      for (const renderId of ['render-1', 'render-2']) {
        await expect(submit({ renderId })).rejects.toMatchObject({ type: 'LedgerUnavailable', nonRetryable: false });
      }
      expect(gateway.posts()).toHaveLength(1);
      expect(await contentsOf(folder)).toEqual(before);
      expect(await store.ledger.shots('film')).toEqual(['dawn']);
      expect(await readdir(join(folder, '..'))).toEqual(['1']);
    },
  );

  it('reuses a take number that a crash left unclaimed', async () => {
    await mkdir(join(store.folder, 'ledger/film/dawn/1'), { recursive: true });
    expect(await submit()).toMatchObject({ state: 'accepted', take: { take: 1 } });
  });

  it('keeps the takes of another account apart', async () => {
    await submit();
    expect(await submit({}, 'another account')).toMatchObject({ taskId: 'task-2' });
  });

  it('refuses a picture that is too large for a data URI before anything is sent', async () => {
    const asset = await store.assets.putBytes(Buffer.alloc(1_000_000), {
      mediaType: 'image/png',
      durationSeconds: null,
      width: 1,
      height: 1,
    });
    const [shot] = FILM.shots;
    const production = await store.putJson({
      ...FILM,
      shots: [{ ...shot, files: { startFrame: { kind: 'asset', asset, name: 'big.png' } } }],
    });
    await expect(submit({ production })).rejects.toMatchObject({ type: 'FileNotSendable', nonRetryable: true });
    expect(gateway.arrived).toHaveLength(0);
  });

  it('never writes the key', async () => {
    gateway.answer = (_request, response) => json(response, 400, { error: `the key ${KEY} may not` });
    await submit();
    expect(await filesWith('may not', bench.store.folder)).toHaveLength(1);
    expect(await filesWith(KEY, bench.store.folder)).toEqual([]);
  });

  async function contentsOf(folder: string): Promise<readonly (readonly [string, string])[]> {
    const names = await readdir(folder);
    return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const));
  }

  function noteAnswer(taskId: string): Promise<boolean> {
    const record = { taskId, ended: null, at: AT };
    return store.ledger.endSending(ADDRESS, 1, { kind: 'answered', record });
  }

  async function claim(): Promise<void> {
    gateway.answer = (_request, response) => json(response, 429, {});
    await expect(submit()).rejects.toMatchObject({ type: 'GatewayThrottled' });
    await rm(join(store.folder, 'ledger/film/dawn/1/sent-1.json'));
    await rm(join(store.folder, 'ledger/film/dawn/1/refused-1.json'));
    gateway.arrived.length = 0;
    gateway.answer = acceptAll();
  }
});
