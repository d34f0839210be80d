import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
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
    expect(await notices.undelivered(INPUT.subject)).toEqual({ notices: [], unreadable: [] });
  });
});

describe('a damaged notice', () => {
  it('counts as one without a result, and its next result is recorded', async () => {
    const store = await newStore();
    const { notices } = store;
    await notices.note(INPUT, { state: 'trying', attempts: 1, reason: null });
    const files = await readdir(store.folder, { recursive: true });
    await truncate(join(store.folder, files.find((path) => path.endsWith('msg_1.json')) ?? ''), 3);
    expect(await notices.result(INPUT)).toBeUndefined();
    await notices.note(INPUT, { state: 'trying', attempts: 2, reason: 'nobody answers' });
    expect(await notices.result(INPUT)).toMatchObject({ state: 'trying', attempts: 2 });
  });

  it('is left out of a list, and is named beside the others if notices are to be sent again', async () => {
    const store = await newStore();
    const { notices } = store;
    await notices.note(INPUT, { state: 'trying', attempts: 1, reason: null });
    const other = { ...INPUT, notice: { ...INPUT.notice, id: 'msg_2' } };
    await notices.note(other, { state: 'trying', attempts: 1, reason: null });
    const [broken = ''] = (await readdir(store.folder, { recursive: true })).filter((path) =>
      path.endsWith('msg_1.json'),
    );
    await truncate(join(store.folder, broken), 3);
    expect((await notices.list(INPUT.subject)).map(({ id }) => id)).toEqual(['msg_2']);
    expect(await notices.undelivered(INPUT.subject)).toEqual({ notices: [other], unreadable: ['msg_1'] });
  });
});
