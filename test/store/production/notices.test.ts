import { type Notices } from '../../../store';
import { newStore } from '../../books/store-with-takes';

const INPUT = {
  subject: { kind: 'production', id: 'film', renderId: 'render-1' },
  target: 'a target',
  notice: { id: 'msg_1', type: 'production.completed', timestamp: '2026-11-24T00:00:00.000Z', data: {} },
} as unknown as Parameters<Notices['note']>[0];

describe('a notice that a worker and a person post at once', () => {
  it('stays delivered if the other post fails later', async () => {
    const notices = (await newStore()).notices;
    await notices.note(INPUT, { state: 'trying', attempts: 1, reason: 'nobody answers' });
    await notices.note(INPUT, { state: 'delivered', attempts: 2, reason: null });
    await notices.note(INPUT, { state: 'trying', attempts: 2, reason: 'too late' });
    expect(await notices.result(INPUT)).toMatchObject({ state: 'delivered', reason: null });
    expect(await notices.undelivered(INPUT.subject)).toEqual([]);
  });
});
