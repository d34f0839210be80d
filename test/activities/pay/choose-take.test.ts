import { type TaskInput } from '../../../contracts/activities';
import { choiceAddress, type Directing } from '../../../store';
import { intent, sent, settled } from '../../support/ledger-fixtures';
import { acceptAll, type ScriptedGateway, startScriptedGateway } from '../../support/scripted-gateway';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import { recordsOf } from '../../support/store-records';

/** Which take is used for a shot, depending on the ledger and the choices. */
describe('choosing among takes', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let directing: Directing;

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    bench = await startBench(gateway.url, 'key', oneShotFilm());
    directing = bench.store.directing;
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  const address = () =>
    choiceAddress({ account: 'account', productionId: 'film', shot: oneShotFilm().shots[0]!, links: [] });
  const take = (number: number) => ({ productionId: 'film', shotId: 'dawn', take: number });
  const key = (letter: string): string => letter.repeat(64);

  /** A completed take of another request than the shot's current one. */
  async function completedTake(number: number, letter: string): Promise<void> {
    const { ledger, assets } = bench.store;
    await ledger.intend(take(number), intent({ takeKey: key(letter), askKey: key('f'), account: 'account' }));
    await ledger.beginSending(take(number), 1, sent());
    await ledger.endSending(take(number), 1, { kind: 'accepted', record: { taskId: letter, at: sent().at } });
    await ledger.settle(take(number), settled('completed', letter));
    const description = { mediaType: 'video/mp4', durationSeconds: 4, width: 640, height: 360 };
    const asset = await assets.putBytes(Buffer.from(letter), description);
    await ledger.noteOutput(take(number), letter, {
      asset,
      firstFrame: asset,
      lastFrame: { asset, source: 'clip' },
      warnings: [],
    });
  }

  const submit = (changes: Partial<TaskInput> = {}) =>
    bench.run(bench.activities().submits.submitTask, { ...bench.input, ...changes });
  const choose = (number: number | null, by: 'first' | 'person' | 'default') =>
    bench.run(bench.activities().decisions.chooseTake, { task: bench.input, take: number, by });
  const chosen = (number: number, letter: string, approved = true) => ({
    takeKey: key(letter),
    take: number,
    by: 'person' as const,
    approved,
  });

  it('pays for nothing if a take is chosen and the first was not requested', async () => {
    await completedTake(1, 'a');
    await directing.choose(address(), chosen(1, 'a'));
    expect(await submit()).toMatchObject({ state: 'completed', take: { take: 1 } });
    expect(gateway.posts()).toHaveLength(0);
    // The second of the takes side by side is still wanted.
    expect(await submit({ sibling: 1 })).toMatchObject({ state: 'accepted', take: { take: 2 } });
  });

  it('retries no ended take once a take is chosen, and collects all paid takes', async () => {
    const { take: failed, state } = await submit();
    expect(state).toBe('accepted');
    await bench.store.ledger.settle(failed, settled('failed'));
    const { take: open } = await submit({ sibling: 1 });
    await completedTake(3, 'c');
    await directing.choose(address(), chosen(3, 'c'));
    expect(await submit({ attempt: 2, renderId: 'render-2' })).toMatchObject({ state: 'failed', take: failed });
    expect(await submit({ sibling: 1, renderId: 'render-2' })).toMatchObject({ state: 'accepted', take: open });
    expect(gateway.posts()).toHaveLength(2);
  });

  it('does not count a choice whose take a person gave up', async () => {
    await completedTake(1, 'a');
    await directing.choose(address(), chosen(1, 'a'));
    const givenUp = {
      kind: 'resubmit',
      by: 'person',
      afterSending: 1,
      parkedFor: 'uncollected',
      at: sent().at,
    } as const;
    await bench.store.ledger.decide(take(1), 1, givenUp);
    expect(await choose(null, 'first')).toBeNull();
    expect(await submit()).toMatchObject({ state: 'accepted', take: { take: 2 } });
    await completedTake(3, 'c');
    expect(await choose(3, 'first')).toMatchObject({ approved: false, taken: { take: { take: 3 } } });
  });

  it('keeps the first choice of a context, and lets only a person change it', async () => {
    await completedTake(1, 'a');
    await completedTake(2, 'b');
    expect(await choose(null, 'first')).toBeNull();
    expect(await choose(2, 'first')).toMatchObject({
      approved: false,
      taken: { state: 'completed', take: { take: 2 } },
    });
    expect(await choose(1, 'first')).toMatchObject({ approved: false, taken: { take: { take: 2 } } });
    expect(await choose(1, 'person')).toMatchObject({ approved: true, taken: { take: { take: 1 } } });
    expect(await choose(2, 'default')).toMatchObject({ approved: true, taken: { take: { take: 1 } } });
    // Temporal may run it again.
    expect(await choose(1, 'person')).toMatchObject({ approved: true, taken: { take: { take: 1 } } });
    expect(await recordsOf(bench.store).list(`directing/film/dawn/${address().context}`)).toHaveLength(2);
  });

  it('approves the chosen take by default if no person decides', async () => {
    await completedTake(1, 'a');
    await choose(1, 'first');
    expect(await choose(1, 'default')).toMatchObject({ approved: true, taken: { take: { take: 1 } } });
    expect(await directing.choice(address())).toMatchObject({ by: 'default' });
  });

  it('returns a chosen take whose bytes are lost as one to collect', async () => {
    await completedTake(1, 'a');
    await choose(1, 'first');
    const output = (await bench.store.ledger.take(take(1)))!.output!;
    await bench.store.ledger.noteOutput(take(1), 'a', { ...output, asset: { ...output.asset, sha256: key('0') } });
    expect(await choose(null, 'first')).toMatchObject({ taken: { state: 'accepted', taskId: 'a' } });
  });

  it('treats another take upstream as another context without a choice', async () => {
    await completedTake(1, 'a');
    await choose(1, 'person');
    const retake = { ...oneShotFilm().shots[0]!, variant: 1 };
    const { context } = choiceAddress({ account: 'account', productionId: 'film', shot: retake, links: [] });
    expect(context).not.toBe(address().context);
    expect(await directing.choice({ ...address(), context })).toBeUndefined();
  });
});
