import { ownTaskId } from '../../../store/ledger/own-task-id';
import { shotEvents } from '../../../studio/views/shot-events';
import { address, book, newStore } from '../../books/store-with-takes';
import { AT, intent } from '../../support/ledger-fixtures';

it.each([
  ['another task of a sending as charged', 'task-second', 1],
  ['no second task if Dailies made the other id for the accepted one', ownTaskId(intent().takeKey, 1), 0],
])('the events of a shot name %s', async (_what, taskId, named) => {
  const store = await newStore();
  await book(store, address('dawn'), 'settled');
  await store.ledger.endSending(address('dawn'), 1, { kind: 'also-accepted', record: { taskId, at: AT } });
  const [history] = await store.ledger.takes('film', 'dawn');
  if (history === undefined) throw new Error('no take');
  const words = shotEvents({ takes: [{ take: 1, history }] as never }).map((event) => event.words);
  expect(words).toContain('accepted as task task-dawn');
  expect(words.filter((text) => text.includes('as well'))).toHaveLength(named);
});
