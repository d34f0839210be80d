import { secret } from '../../../workers/config/secret';
import { type HookReceiver, NOTIFY_SECRET, startReceiver } from '../../support/hook-receiver';
import { type Rig, startRig } from '../../support/rig';

export let rig: Rig;
export let receiver: HookReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
  const policy = { allowedPrivateHosts: [new URL(receiver.url).host], totalMs: 2_000 };
  rig = await startRig({ renderSeconds: 8 }, { notify: { secrets: [secret(NOTIFY_SECRET)], policy } });
});
afterEach(() => rig.sandbox.faults.clear());
afterAll(async () => {
  await rig.close();
  await receiver.close();
});
