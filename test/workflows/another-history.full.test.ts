import { startReceiver } from '../support/hook-receiver';
import { film, pictureShot, resetProduction } from '../support/rig';
import { until } from '../support/until';
import {
  atGateway,
  begin,
  client,
  failing,
  handleOf,
  held,
  intoAnotherHistory,
  MOST_EVENTS,
  PICTURE,
  pictures,
  revise,
  rig,
  runOf,
  sent,
  statesOf,
  statusWhen,
} from './long-histories';

describe('a production whose history becomes too long', () => {
  it('continues as new in short histories, and sends each task once', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `s${n}`);
    await begin(pictures('many', ...names), { maxInFlight: 2 });
    const first = await runOf('many');
    const ended = await client.ended('many');
    expect(ended).toMatchObject({ state: 'completed' });
    expect(names.map((name) => sent(`many ${name}`))).toEqual(names.map(() => 1));
    const { runId, historyLength } = await handleOf('many').describe();
    expect(runId).not.toBe(first);
    expect(historyLength).toBeLessThan(3 * MOST_EVENTS);
  });

  it('drains a shot that is no longer wanted, collects its paid task, and renders the other shot', async () => {
    held.add('late');
    const before = pictures('changed', 'early');
    await begin(before, { maxInFlight: 1 });
    const both = pictures('changed', 'early', 'late');
    await intoAnotherHistory(both);
    await atGateway('changed late');
    await intoAnotherHistory(both);
    const after = film('changed', [before.shots[0]!, pictureShot('late', { parameters: { prompt: 'changed other' } })]);
    await revise(after);
    held.clear();
    const ended = await client.ended('changed');
    expect(statesOf(ended)).toEqual({ early: 'completed', late: 'completed' });
    expect(ended.shots[1]).toMatchObject({
      filmTake: 2,
      takes: [{ take: 2 }],
      earlier: { takes: 1, credits: PICTURE },
    });
    expect([sent('changed early'), sent('changed late'), sent('changed other')]).toEqual([1, 1, 1]);
  });

  it('accepts every update that arrives while it continues as new', async () => {
    held.add('a');
    const production = pictures('updated', 'a');
    await begin(production, { budget: { credits: 1_000 } });
    await atGateway('updated a');
    const first = await runOf('updated');
    const ask = async (credits: number): Promise<void> => {
      expect(await client.setBudget('updated', credits)).toMatchObject({ credits });
    };
    for (let credits = 100; credits < 160; credits += 3) {
      await Promise.all([ask(credits), ask(credits + 1), ask(credits + 2)]);
    }
    await ask(50);
    expect(await runOf('updated')).not.toBe(first);
    held.clear();
    expect(await client.ended('updated')).toMatchObject({
      state: 'completed',
      budget: { credits: 50, spent: PICTURE, reserved: 0 },
    });
    expect(sent('updated a')).toBe(1);
  });

  it('allows no more than its budget, whatever was allowed before', async () => {
    for (const end of ['a', 'b']) held.add(end);
    const budget = { credits: 2 * PICTURE };
    await begin(pictures('bounded', 'a', 'b'), { budget });
    await Promise.all([atGateway('bounded a'), atGateway('bounded b')]);
    const production = pictures('bounded', 'a', 'b', 'c');
    await revise(production, { budget });
    await statusWhen('bounded', ({ c }) => c === 'parked');
    await intoAnotherHistory(production, { budget });
    await intoAnotherHistory(production, { budget });
    // The new history shows its budget once the charges are counted.
    const status = await until(async () => {
      const seen = await client.status('bounded');
      return seen?.budget !== undefined && seen;
    });
    expect(statesOf(status)).toMatchObject({ c: 'parked' });
    expect(status.budget).toEqual({ credits: 2 * PICTURE, spent: 0, reserved: 2 * PICTURE, unclear: 0 });
    expect(sent('bounded c')).toBe(0);
    await client.setBudget('bounded', 3 * PICTURE);
    await atGateway('bounded c');
    held.clear();
    expect(await client.ended('bounded')).toMatchObject({ state: 'completed', budget: { spent: 3 * PICTURE } });
    expect(['a', 'b', 'c'].map((shot) => sent(`bounded ${shot}`))).toEqual([1, 1, 1]);
  });

  it('sends one notice for a wait, whichever history sees it', async () => {
    const receiver = await startReceiver();
    const notify = { target: await rig.store.notices.putTarget(receiver.url) };
    held.add('early');
    for (const end of ['lost-1', 'lost-2']) failing.add(end);
    await begin(pictures('told', 'early'), { notify });
    const one = pictures('told', 'early', 'lost-1');
    await intoAnotherHistory(pictures('told', 'early'), { notify });
    await revise(one, { notify });
    const waits = (): readonly (readonly string[])[] =>
      receiver.told().map(({ data }) => data.waiting.map(({ shot }) => shot));
    await until(() => waits().length > 0);
    await intoAnotherHistory(one, { notify });
    await revise(pictures('told', 'early', 'lost-1', 'lost-2'), { notify });
    await until(() => waits().length > 1);
    expect(waits()).toEqual([['lost-1'], ['lost-2']]);
    await client.cancel('told');
    held.clear();
    await client.ended('told');
    await until(() => waits().length > 2);
    await receiver.close();
  });

  it('sends one notice for waits for the budget, although the next history has to ask for them again', async () => {
    const receiver = await startReceiver();
    const [notify, budget] = [{ target: await rig.store.notices.putTarget(receiver.url) }, { credits: PICTURE }];
    const rules = { notify, budget, maxInFlight: 9 };
    const dear = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6'];
    // Shots that begin in the second history outlast it.
    held.add('a');
    await begin(pictures('dear', 'a'), rules);
    await atGateway('dear a');
    await intoAnotherHistory(pictures('dear', 'a'), rules);
    held.clear();
    await revise(pictures('dear', 'a', ...dear), rules);
    const waits = (): readonly (readonly string[])[] =>
      receiver.told().map(({ data }) => data.waiting.map(({ shot }) => shot));
    await until(() => waits().length > 0);
    await intoAnotherHistory(pictures('dear', 'a', ...dear), rules);
    await revise(pictures('dear', 'a', ...dear, 'c'), rules);
    await until(() => waits().length > 1);
    expect(waits()).toEqual([dear, ['c']]);
    await client.cancel('dear');
    await client.ended('dear');
    await until(() => waits().length > 2);
    await receiver.close();
  });

  it('continues after a reset, and pays for nothing again', async () => {
    held.add('late');
    await begin(pictures('reset', 'early'));
    const both = pictures('reset', 'early', 'late');
    await intoAnotherHistory(both);
    await atGateway('reset late');
    await intoAnotherHistory(both);
    const isBegun = async (): Promise<boolean> =>
      (await handleOf('reset').fetchHistory()).events?.some(
        (one) => one.workflowTaskCompletedEventAttributes != null,
      ) === true;
    await until(isBegun);
    await resetProduction(rig, 'reset');
    held.clear();
    expect(statesOf(await client.ended('reset'))).toEqual({ early: 'completed', late: 'completed' });
    expect([sent('reset early'), sent('reset late')]).toEqual([1, 1]);
  });

  it('drains when it is cancelled, and collects what is paid for', async () => {
    held.add('late');
    failing.add('lost');
    await begin(pictures('cancelled', 'lost'));
    await statusWhen('cancelled', ({ lost }) => lost === 'parked');
    const production = pictures('cancelled', 'lost', 'late', 'never');
    const changes = { maxInFlight: 1 };
    await intoAnotherHistory(production, changes);
    await atGateway('cancelled late');
    await intoAnotherHistory(production, changes);
    await client.cancel('cancelled');
    await statusWhen('cancelled', ({ lost }) => lost === 'cancelled');
    held.clear();
    const ended = await client.ended('cancelled');
    expect(ended).toMatchObject({ state: 'cancelled' });
    expect(statesOf(ended)).toEqual({ lost: 'cancelled', late: 'completed', never: 'cancelled' });
    expect([sent('cancelled late'), sent('cancelled never')]).toEqual([1, 0]);
  });
});
