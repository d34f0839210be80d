import { resultLine, TABLE_HEAD } from '../../../client/batch/result-line';
import { openStore } from '../../../store';
import { temporaryFolder } from '../../support/temporary-folder';

it('has the columns that other programs rely on, in their order', async () => {
  const store = await openStore(await temporaryFolder());
  const line = await resultLine(store, { row: { key: 'a' }, state: 'pending', end: null }, null);
  const last = ['durationSeconds', 'width', 'height', 'at', 'fallback'];
  const first = ['key', 'state', 'reason', 'path', 'text', 'take', 'taskId', 'credits', 'mediaType'];
  expect(Object.keys(line)).toEqual([...first, 'sha256', 'sizeBytes', ...last]);
  expect(TABLE_HEAD).toBe([...first, ...last].join(','));
});
