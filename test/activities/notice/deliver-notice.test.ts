import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createNoticeActivities } from '../../../activities/notice/deliver-notice';
import { type NoticeInput } from '../../../contracts/notice';
import { checkHook } from '../../../gateway';
import { openStore, type Store } from '../../../store';
import { secret } from '../../../workers/config/secret';
import { type HookReceiver, isSigned, NOTIFY_SECRET, startReceiver } from '../../support/hook-receiver';
import { temporaryFolder } from '../../support/temporary-folder';

const QUIET = new DefaultLogger('ERROR', () => undefined);

const OLD_SECRET = `whsec_${Buffer.from('the secret before this one').toString('base64')}`;

describe('the delivery of a notice', () => {
  let store: Store;
  let receiver: HookReceiver;
  let input: NoticeInput;

  beforeEach(async () => {
    store = await openStore(join(await temporaryFolder(), 'store'));
    receiver = await startReceiver();
    input = await inputFor(receiver.url);
  });

  afterEach(() => receiver.close());

  async function inputFor(url: string): Promise<NoticeInput> {
    return {
      notice: { id: 'msg_1', type: 'production.completed', timestamp: '2026-01-01T00:00:00.000Z', data: { a: 1 } },
      subject: { kind: 'production', id: 'film', renderId: 'render-1' },
      target: await store.notices.putTarget(url),
    };
  }

  interface Delivery {
    readonly secrets?: readonly string[];
    readonly hosts?: readonly string[];
    readonly attempt?: number;
    readonly totalMs?: number;
  }

  function deliver(options: Delivery = {}) {
    const { secrets = [NOTIFY_SECRET], hosts = [new URL(receiver.url).host], attempt = 1, totalMs } = options;
    const { deliverNotice } = createNoticeActivities({
      store,
      secrets: secrets.map(secret),
      policy: { allowedPrivateHosts: hosts, ...(totalMs === undefined ? {} : { totalMs }) },
    });
    return new MockActivityEnvironment({ attempt }, { logger: QUIET }).run(deliverNotice, input);
  }

  async function failureOf(delivery: Promise<unknown>): Promise<ApplicationFailure> {
    const error: unknown = await delivery.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ApplicationFailure)) throw new Error(`not refused: ${String(error)}`);
    return error;
  }

  const noted = async () => (await store.notices.list(input.subject))[0];

  it('posts it once, signed, and not again once that is recorded', async () => {
    await deliver();
    await deliver();
    expect(receiver.told()).toEqual([{ ...input.notice, webhookId: 'msg_1', isSigned: true }]);
    expect(await noted()).toMatchObject({ state: 'delivered', attempts: 1, reason: null });
  });

  it('signs with each secret while one is replaced, and with no other', async () => {
    await deliver({ secrets: [NOTIFY_SECRET, OLD_SECRET] });
    const [post] = receiver.server.posts();
    expect([isSigned(post!, NOTIFY_SECRET), isSigned(post!, OLD_SECRET)]).toEqual([true, true]);
    expect(isSigned({ ...post!, body: `${post!.body} ` })).toBe(false);
    expect(isSigned(post!, `whsec_${Buffer.from('somebody who guesses one').toString('base64')}`)).toBe(false);
  });

  it('can be checked before: whether the address is allowed and answers, without posting', async () => {
    const policy = { allowedPrivateHosts: ['127.0.0.1'] };
    expect(await checkHook(receiver.url, { allowedPrivateHosts: [] })).toMatchObject({ kind: 'refused-address' });
    expect(await checkHook('ftp://127.0.0.1/x', policy)).toMatchObject({ kind: 'refused-address' });
    expect(await checkHook(receiver.url, policy)).toBeUndefined();
    expect(receiver.server.arrived).toEqual([]);
    const other = await startReceiver();
    await other.close();
    const gone = await checkHook(other.url, policy);
    expect(gone).toMatchObject({ kind: 'network', message: expect.stringContaining('ECONNREFUSED') });
    expect(gone?.message).not.toContain('token-in-the-path');
  });

  it('sends nothing unsigned, and is retried', async () => {
    expect(await failureOf(deliver({ secrets: [] }))).toMatchObject({
      type: 'NotifySecretMissing',
      nonRetryable: false,
    });
    expect(receiver.told()).toEqual([]);
    expect(await noted()).toMatchObject({ state: 'trying' });
  });

  it('records once that it is not delivered, so that a delivery by a person is not overwritten', async () => {
    const { noteUndelivered } = createNoticeActivities({ store, secrets: [], policy: { allowedPrivateHosts: [] } });
    const note = (reason: string) =>
      new MockActivityEnvironment({}, { logger: QUIET }).run(noteUndelivered, { ...input, reason });
    receiver.server.answer = (_request, response) => void response.writeHead(500).end();
    await failureOf(deliver({ attempt: 7 }));
    await note('no attempt is left');
    const recorded = await noted();
    expect(recorded).toMatchObject({ state: 'undelivered', attempts: 7, reason: 'no attempt is left' });
    await note('the same, later');
    expect(await noted()).toEqual(recorded);
  });

  it.each([
    ['500', 500, {}, undefined],
    ['404', 404, {}, undefined],
    ['429 with Retry-After', 429, { 'retry-after': '30' }, 30_000],
    ['429 that wants to be asked at once', 429, { 'retry-after': '0' }, undefined],
    ['503 with a Retry-After of a week', 503, { 'retry-after': '604800' }, 3_600_000],
  ])('is retried after %s', async (_name, status, headers, delayMs) => {
    receiver.server.answer = (_request, response) => void response.writeHead(status, headers).end('a body');
    const failed = await failureOf(deliver({ attempt: 3 }));
    expect(failed).toMatchObject({ type: 'HookFailed', nonRetryable: false });
    expect(failed.nextRetryDelay ?? undefined).toEqual(delayMs);
    expect(await noted()).toMatchObject({ state: 'trying', attempts: 3, reason: failed.message });
    receiver.server.answer = (_request, response) => void response.writeHead(200).end();
    await deliver({ attempt: 4 });
    expect(receiver.told().map(({ webhookId }) => webhookId)).toEqual(['msg_1', 'msg_1']);
    expect(await noted()).toMatchObject({ state: 'delivered', attempts: 4, reason: null });
  });

  it('follows no redirect', async () => {
    const inside = await startReceiver();
    receiver.server.answer = (_request, response) => void response.writeHead(307, { location: inside.url }).end();
    const failed = await failureOf(deliver({ hosts: [new URL(receiver.url).host, new URL(inside.url).host] }));
    expect(failed).toMatchObject({
      type: 'HookFailed',
      message: expect.stringContaining('redirects are not followed'),
    });
    expect(inside.server.arrived).toEqual([]);
    await inside.close();
  });

  it('ends with 410', async () => {
    receiver.server.answer = (_request, response) => void response.writeHead(410).end();
    const refused = await failureOf(deliver());
    expect(refused).toMatchObject({ type: 'HookRefused', nonRetryable: true });
    // Recorded at once: until its workflow ends, a person would be told that it is retried.
    expect(await noted()).toMatchObject({ state: 'undelivered', attempts: 1, reason: refused.message });
  });

  it.each(['http://127.0.0.1:9/x', 'http://[::ffff:10.0.0.1]/x', 'http://localhost:9/x', 'http://2130706433/x'])(
    'does not connect to %s',
    async (url) => {
      input = await inputFor(url);
      expect(await failureOf(deliver({ hosts: [] }))).toMatchObject({
        type: 'HookRefused',
        nonRetryable: true,
        message: expect.stringContaining('is no public address'),
      });
    },
  );

  it('gives up on a receiver that hangs, before and within its answer', async () => {
    receiver.server.answer = () => undefined;
    expect(await failureOf(deliver({ totalMs: 1_000 }))).toMatchObject({
      type: 'HookFailed',
      message: expect.stringContaining('1000 ms'),
    });
    receiver.server.answer = (_request, response) => void response.writeHead(200).write('x');
    // Long enough for the beginning of the answer, however busy the machine is.
    await deliver({ totalMs: 5_000 });
    expect(await noted()).toMatchObject({ state: 'delivered' });
  });

  it('does not read an endless answer', async () => {
    receiver.server.answer = (_request, response) => {
      response.writeHead(200);
      const flood = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(flood));
      };
      flood();
    };
    await deliver();
    expect(await noted()).toMatchObject({ state: 'delivered' });
  });

  it('is retried if nothing listens, and names only the host', async () => {
    await receiver.close();
    const failed = await failureOf(deliver());
    expect(failed).toMatchObject({ type: 'HookFailed', nonRetryable: false });
    expect(failed.message).toContain(new URL(receiver.url).host);
    expect(JSON.stringify([failed.message, failed.stack, String(failed.cause)])).not.toContain('token-in-the-path');
  });
});
