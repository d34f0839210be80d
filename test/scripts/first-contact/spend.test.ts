import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../../scripts/process/command-config';
import { within } from '../../../scripts/process/surroundings';
import { spend } from '../../../scripts/first-contact/spend';
import { startRig, rigEnv } from '../../support/rig';
import { environmentOf } from '../command';

it('first contact asks the gateway for nothing after an interrupt', async () => {
  const rig = await startRig({}, { inProcess: false });
  let requests = 0;
  const gateway = createServer((_, answer) => {
    requests += 1;
    answer.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  try {
    const folder = rig.store.folder;
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    const env = environmentOf({ folder, env: { ...rigEnv(rig), DAILIES_GATEWAY_URL: url } });
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    // The signal comes while the task is frozen and the session is opened.
    const signals = {
      on(name: string, listener: () => void) {
        if (name === 'SIGINT') listener();
      },
    };
    await within({ cwd: folder, env, ...streams, signals }, () =>
      expect(spend(readConfig(), { yes: true })).resolves.toBeUndefined(),
    );
    // A task that was begun nevertheless would ask only now.
    await delay(500);
    expect(requests).toBe(0);
  } finally {
    gateway.close();
    await rig.close();
  }
});
