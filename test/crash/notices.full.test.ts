import { type ServerResponse } from 'node:http';
import { filesWith } from '../support/files-with';
import { type HookReceiver, NOTIFY_SECRET, startReceiver } from '../support/hook-receiver';
import { film, pictureShot, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess } from '../support/worker-process';

const ENV = { DAILIES_NOTIFY_SECRET: NOTIFY_SECRET, DAILIES_NOTIFY_HOSTS: '127.0.0.1' };

describe('notices of killed workers', () => {
  let rig: Rig;
  let receiver: HookReceiver;

  beforeEach(async () => {
    rig = await startRig({}, { inProcess: false });
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  async function start(id: string): Promise<void> {
    const target = await rig.store.notices.putTarget(receiver.url);
    await rig.start(film(id, [pictureShot('a')]), { assemble: false, notify: { target } });
  }

  it('are posted again by the next worker, under the same id, if a killed one had not recorded its post', async () => {
    const first = await startWorkerProcess(rig, ENV);
    const held: ServerResponse[] = [];
    receiver.server.answer = (_request, response) => void held.push(response);
    await start('killed');
    expect((await rig.client.ended('killed')).state).toBe('completed');
    await until(() => receiver.told().length === 1);
    // The receiver has the notice, but its answer reaches no process.
    await first.kill('SIGKILL');
    receiver.server.answer = (_request, response) => void response.writeHead(204).end();
    const second = await startWorkerProcess(rig, ENV);
    await until(() => receiver.told().length === 2);
    const [posted, again] = receiver.told();
    expect(again).toEqual(posted);
    expect(again).toMatchObject({ type: 'production.completed', isSigned: true });
    const { renderId = '' } = (await rig.client.status('killed')) ?? {};
    const list = () => rig.store.notices.list({ kind: 'production', id: 'killed', renderId });
    await until(async () => (await list())[0]?.state === 'delivered');
    await second.kill('SIGTERM');
    expect(receiver.told()).toHaveLength(2);
    const said = first.output() + second.output();
    for (const hidden of [NOTIFY_SECRET.slice(6), 'token-in-the-path']) expect(said).not.toContain(hidden);
    expect(await filesWith(NOTIFY_SECRET.slice(6), rig.store.folder)).toEqual([]);
  });

  it('report an end that came while no worker could sign, as soon as one can', async () => {
    const first = await startWorkerProcess(rig);
    await start('unsigned');
    await rig.client.ended('unsigned');
    const { renderId = '' } = (await rig.client.status('unsigned')) ?? {};
    const list = () => rig.store.notices.list({ kind: 'production', id: 'unsigned', renderId });
    await until(async () => (await list())[0]?.state === 'trying');
    expect((await list())[0]?.reason).toContain('DAILIES_NOTIFY_SECRET');
    await first.kill('SIGTERM');
    expect(receiver.told()).toEqual([]);
    const second = await startWorkerProcess(rig, ENV);
    await until(() => receiver.told().length === 1);
    await second.kill('SIGTERM');
  });
});
