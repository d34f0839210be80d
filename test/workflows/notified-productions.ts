import { type NotifyTarget } from '../../contracts/notice';
import { secret } from '../../workers/config/secret';
import { type HookReceiver, NOTIFY_SECRET, startReceiver } from '../support/hook-receiver';
import { type Rig, startRig } from '../support/rig';

/** Productions that send notices to a receiver. Each test file that imports this module starts its own rig. */
export let rig: Rig;

export let receiver: HookReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
  const policy = { allowedPrivateHosts: [new URL(receiver.url).host], totalMs: 2_000 };
  rig = await startRig({}, { notify: { secrets: [secret(NOTIFY_SECRET)], policy } });
});

afterEach(() => rig.sandbox.faults.clear());

afterAll(async () => {
  await rig.close();
  await receiver.close();
});

export const target = async (url = receiver.url, on?: NotifyTarget['on']): Promise<NotifyTarget> => ({
  target: await rig.store.notices.putTarget(url),
  ...(on === undefined ? {} : { on }),
});

export const toldOf = (id: string) => receiver.told().filter(({ data }) => data.production === id);

export const noticesOf = async (id: string) => {
  const status = await rig.client.status(id);
  return rig.store.notices.list({ kind: 'production', id, renderId: status?.renderId ?? '' });
};
