import { filesWith } from '../support/files-with';
import { NOTIFY_SECRET } from '../support/hook-receiver';
import { film, pictureShot } from '../support/rig';
import { until } from '../support/until';
import { noticesOf, rig, target, toldOf } from './notified-productions';

describe('notices of a production', () => {
  it('report its end, signed, and are recorded as delivered', async () => {
    await rig.render(film('ended', [pictureShot('a')]), { assemble: false, notify: await target() });
    const [told] = await until(() => toldOf('ended').length > 0 && toldOf('ended'));
    expect(told).toMatchObject({
      type: 'production.completed',
      isSigned: true,
      webhookId: told?.id,
      data: { production: 'ended', state: 'completed', shots: { completed: 1 }, waiting: [], waitingCount: 0 },
    });
    expect(told?.data.creditsCharged).toBeGreaterThan(0);
    await until(async () => (await noticesOf('ended'))[0]?.state === 'delivered');
    expect(await noticesOf('ended')).toEqual([
      {
        id: told?.id,
        type: 'production.completed',
        state: 'delivered',
        attempts: 1,
        at: expect.any(String),
        reason: null,
      },
    ]);
  });

  it('leave address and secret out of histories and files', async () => {
    const histories: string[] = [];
    const { workflow } = rig.temporal.client;
    for await (const { workflowId, runId } of workflow.list()) {
      histories.push(JSON.stringify(await workflow.getHandle(workflowId, runId).fetchHistory()));
    }
    const bytes = (text: string): readonly string[] => [text, Buffer.from(text).toString('base64').slice(4, -4)];
    for (const hidden of [...bytes(NOTIFY_SECRET), ...bytes(NOTIFY_SECRET.slice(6)), ...bytes('token-in-the-path')]) {
      expect(histories.filter((history) => history.includes(hidden))).toEqual([]);
    }
    expect(await filesWith(NOTIFY_SECRET.slice(6), rig.store.folder)).toEqual([]);
    const holding = await filesWith('token-in-the-path', rig.store.folder);
    expect(holding.every((path) => path.includes('notify-targets'))).toBe(true);
  });
});
