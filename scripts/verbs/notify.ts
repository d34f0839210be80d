import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { signedNotice } from '../../activities/notice/sign-notice';
import { Refused, unknownProductionOrBatch } from '../../client/wording/refused';
import { checkTemplate, closingTemplate } from '../../client/schedules';
import { absolute } from '../../client/wording/working-folder';
import { type NoticeInput, type NoticeSubject } from '../../contracts/notice';
import { HookError, postHook } from '../../gateway';
import { type Store } from '../../store';
import { type Config } from '../../workers/config/config';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { notifyUrlOf } from '../session/notify-target';
import { print, tell } from '../process/streams';

const NO_SECRET =
  'a notice is never sent unsigned; set DAILIES_NOTIFY_SECRET here to the secret of the workers and the receiver';

const TESTED_BY = 'dailies notify --test FILE|ID|ADDRESS';

/**
 * Sends the undelivered notices of a production's or batch's last render again, from this process. With `test`, sends
 * only a test notice.
 */
export async function notify(what: string, { test = false }: { readonly test?: boolean }): Promise<ExitCode> {
  const isFile = test && existsSync(absolute(what));
  const config = readConfig(isFile ? what : undefined);
  if (config.notifySecrets.length === 0) throw new Refused(NO_SECRET);
  if (test) return sendTest(config, await addressOf(config, what, isFile));
  const store = await openOwnStore(config);
  const { subject } = await toldOf(store, what);
  const { notices } = store;
  const { notices: lost, unreadable } = await notices.undelivered(subject);
  const open = (await notices.list(subject)).filter(({ state }) => state !== 'delivered');
  const kept = open.length - lost.length;
  if (kept > 0) {
    tell(`Notices of "${what}" that cannot be sent again: ${kept}. An older version did not store their text.`);
  }
  if (unreadable.length > 0) {
    tell(
      `Notices of "${what}" whose records cannot be read, so that they cannot be sent again: ${unreadable.join(', ')}.`,
    );
  }
  if (open.length === 0 && unreadable.length === 0) print(`No notice of "${what}" waits to be delivered.`);
  let isDelivered = true;
  const withoutAddress: NoticeInput[] = [];
  for (const one of lost) {
    const url = await notices.target(one.target);
    if (url === undefined) withoutAddress.push(one);
    else isDelivered = (await sendAgain(config, store, one, url)) && isDelivered;
  }
  if (withoutAddress.length > 0) throw new Refused(addressesLost(withoutAddress));
  return isDelivered && kept === 0 && unreadable.length === 0 ? EXIT.completed : EXIT.failed;
}

function addressesLost(inputs: readonly NoticeInput[]): string {
  const names = inputs.map(({ notice }) => `${notice.type} of ${notice.timestamp}`);
  return `the address of ${names.length === 1 ? 'the notice' : 'these notices'} is not in this store: ${names.join(', ')}`;
}

/** @returns whether the notice was delivered. */
async function sendAgain(config: Config, store: Store, input: NoticeInput, url: string): Promise<boolean> {
  const { notices } = store;
  const { notice } = input;
  const { attempts = 0, state = 'undelivered' } = (await notices.result(input)) ?? {};
  const reason = await post(config, url, notice);
  const now = reason === null ? 'delivered' : state;
  await notices.note(input, { state: now, attempts: attempts + 1, reason });
  print(
    reason === null ? `Delivered: ${notice.type} of ${notice.timestamp}.` : `Not delivered: ${notice.type}. ${reason}`,
  );
  return reason === null;
}

async function sendTest(config: Config, url: string): Promise<ExitCode> {
  const data = { test: true, account: config.account };
  const notice = { id: `msg_test_${randomUUID()}`, type: 'test', timestamp: new Date().toISOString(), data };
  const reason = await post(config, url, notice);
  const { host } = new URL(url);
  print(reason === null ? `Delivered: a notice of the type test, to ${host}.` : `Not delivered. ${reason}`);
  return reason === null ? EXIT.completed : EXIT.failed;
}

/** Posts a notice once. @returns the reason if the notice was not delivered, otherwise null. */
async function post(
  { notifySecrets, notifyHosts }: Config,
  url: string,
  notice: Parameters<typeof signedNotice>[0],
): Promise<string | null> {
  const request = { url, ...signedNotice(notice, notifySecrets, new Date()) };
  try {
    await postHook(request, { policy: { allowedPrivateHosts: notifyHosts } });
    return null;
  } catch (error) {
    if (error instanceof HookError) return error.message;
    throw error;
  }
}

async function addressOf(config: Config, what: string, isFile: boolean): Promise<string> {
  if (/^https?:\/\//i.test(what)) return what;
  if (isFile) {
    const template = await checkTemplate('test', what, config);
    const url = await closingTemplate(template, () => Promise.resolve(notifyUrlOf(template)));
    if (url === undefined) throw new Refused(`${what} names no address for notices; write notify: { url: https://… }`);
    return url;
  }
  const store = await openOwnStore(config);
  const { target } = await toldOf(store, what);
  const url = target === undefined ? undefined : await store.notices.target(target);
  if (url === undefined)
    throw new Refused(`"${what}" has no address for notices; give a file or an address: ${TESTED_BY}`);
  return url;
}

/** Subject and target of the notices of a production's or batch's last render. @throws Refused for an unknown id. */
async function toldOf(
  store: Store,
  id: string,
): Promise<{ readonly subject: NoticeSubject; readonly target: string | undefined }> {
  const batch = await store.batches.begun(id);
  if (batch !== undefined) {
    return { subject: { kind: 'batch', id, renderId: batch.renderId }, target: batch.notify?.target };
  }
  const { productions } = store;
  const begun = await productions.begun(id);
  if (begun === undefined) throw await unknownProductionOrBatch(store, id);
  const subject = { kind: 'production', id, renderId: begun.renderId } as const;
  return { subject, target: (await productions.plan(begun))?.notify?.target };
}
