import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noticeWorkflowId } from '../../contracts/identifiers';
import { startReceiver } from '../support/hook-receiver';
import { film, pictureShot, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const BUILT = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');

/** The built workflows, except that an unreachable receiver is retried for some seconds instead of a day. */
async function withADayOfSeconds(): Promise<string> {
  const built = await readFile(BUILT, 'utf8');
  const code = built.replace("NOTICE_PATIENCE = '24 hours'", "NOTICE_PATIENCE = '20 seconds'");
  if (code === built) throw new Error('the bundle has no patience of that name');
  const path = join(await temporaryFolder(), 'bundle.js');
  await writeFile(path, code);
  return path;
}

it('delivers a notice whose time has run out while no worker ran, as soon as one runs', async () => {
  const receiver = await startReceiver((response) => void response.writeHead(503).end());
  const rig = await startRig({}, { inProcess: false, bundle: await withADayOfSeconds() });
  try {
    const worker = await rig.startWorker();
    const target = await rig.store.notices.putTarget(receiver.url);
    await rig.render(film('friday', [pictureShot('a')]), { assemble: false, notify: { target } });
    await until(() => receiver.told().length === 1);
    worker.stop();
    await worker.ended;

    const [first] = receiver.told();
    const notice = rig.temporal.client.workflow.getHandle(noticeWorkflowId(rig.store.id, first?.id ?? ''));
    await until(async () => {
      const { events } = await notice.fetchHistory();
      return events?.some(({ activityTaskTimedOutEventAttributes: timedOut }) => timedOut != null);
    });
    expect(receiver.told()).toHaveLength(1);

    await rig.startWorker();
    expect(await notice.result()).toEqual({ state: 'delivered' });
    expect(receiver.told().map(({ id, isSigned }) => [id, isSigned])).toEqual(Array(2).fill([first?.id, true]));
  } finally {
    await rig.close();
    await receiver.close();
  }
});
