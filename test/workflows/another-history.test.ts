import {
  atGateway,
  begin,
  client,
  failing,
  held,
  intoAnotherHistory,
  pictures,
  revise,
  sent,
  shotRun,
  statusWhen,
} from './long-histories';

describe('a production whose history becomes too long', () => {
  it('loses no running shot, no decision and no revision', async () => {
    for (const end of ['early', 'late']) held.add(end);
    failing.add('lost');
    const one = pictures('kept', 'early', 'lost');
    await begin(one);
    await statusWhen('kept', ({ lost }) => lost === 'parked');
    await intoAnotherHistory(one);
    const more = pictures('kept', 'early', 'lost', 'late');
    await revise(more);
    await atGateway('kept late');
    const late = await shotRun('kept', 'late');
    await intoAnotherHistory(more);
    await intoAnotherHistory({ ...more, title: 'Other' });
    expect(await shotRun('kept', 'late')).toBe(late);

    await statusWhen('kept', ({ lost }) => lost === 'parked');
    failing.clear();
    await client.resolve('kept', 'lost', { kind: 'resubmit' });
    await statusWhen('kept', ({ lost }) => lost === 'completed');
    held.clear();
    expect(await client.ended('kept')).toMatchObject({ state: 'completed', title: 'Other' });
    expect([sent('kept early'), sent('kept late'), sent('kept lost')]).toEqual([1, 1, 2]);
  });
});
