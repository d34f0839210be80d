import { newStore } from '../../books/store-with-takes';

const MODEL = { id: 'beta-2.5' };

it('a shorter time-out does not replace a longer one of another worker', async () => {
  const { timedOutExecutes } = (await newStore()).account('account');
  const [at, tenMinutes, day] = ['2026-11-30T08:00:00.000Z', '2026-11-30T08:10:00.000Z', '2026-12-01T08:00:00.000Z'];
  await timedOutExecutes.note(MODEL, { reason: 'refused', at, until: tenMinutes });
  await timedOutExecutes.note(MODEL, { reason: 'timed out', at, until: day });
  await timedOutExecutes.note(MODEL, { reason: 'refused', at, until: tenMinutes });
  expect(await timedOutExecutes.read(MODEL)).toMatchObject({ reason: 'timed out', until: day });
});
