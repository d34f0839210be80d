import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { choiceAddress, type TakeHistory } from '../../../store';
import { liveStatusOf } from '../../support/live-status';
import { betaShot, film, linkedShot, pictureShot, planOf } from '../../support/rig';
import { until } from '../../support/until';
import { accepted, giveScissorsBack, long, revise, rig, start, statusWhen, takeScissors } from '../revised-productions';

describe('a running production that is revised', () => {
  const submitted = (prompt: string): number =>
    rig.sandbox.tasks().filter(({ parameters }) => parameters['prompt'] === prompt).length;
  const takes = (id: string, shot: string): Promise<readonly TakeHistory[]> => rig.store.ledger.takes(id, shot);

  const startFrames = async (id: string, shot: string): Promise<readonly unknown[]> =>
    (await takes(id, shot)).map(({ intent }) => intent.parameters['startFrame']);
  const reviewed = { review: { withinSeconds: null, otherwise: 'approve' as const } };

  it('reject in the middle of a chain: the tail waits for the new take, and starts on its last frame', async () => {
    const chain = film('reject', [betaShot('one'), linkedShot('two', 'one'), linkedShot('three', 'two')]);
    await start(chain, { two: reviewed });
    await statusWhen('reject', ({ shots }) => shots[1]?.state === 'review');
    const better = film('reject', [
      betaShot('one'),
      linkedShot('two', 'one', { parameters: { ...chain.shots[1]!.parameters, prompt: 'better' } }),
      linkedShot('three', 'two'),
    ]);
    expect(await revise(better, { rules: { two: { ...reviewed, directed: true } } })).toEqual(['two', 'three']);
    const status = await statusWhen('reject', ({ shots }) => shots[1]?.state === 'review' && shots[1].filmTake === 2);
    expect(await takes('reject', 'three')).toEqual([]);
    // Approved by choosing it, as if a person had looked at it elsewhere.
    const [two] = status.shots[1]!.takes.filter(({ take }) => take === 2);
    const [one] = status.shots[0]!.takes;
    const links = [{ shot: 'one', frame: 'last' as const, takeKey: one!.takeKey }];
    await rig.store.directing.choose(
      choiceAddress({ account: 'sandbox', productionId: 'reject', shot: better.shots[1]!, links }),
      { takeKey: two!.takeKey, take: 2, by: 'person', approved: true },
    );
    await revise(better, { rules: { two: { ...reviewed, directed: true } }, again: ['two'] });
    expect(await rig.client.ended('reject')).toMatchObject({ state: 'completed', assembly: 'completed' });
    expect(await startFrames('reject', 'three')).toEqual([`sha256:${two!.lastFrame!.asset.sha256}`]);
    expect((await takes('reject', 'one')).length).toBe(1);
  });

  it('renders the shot under way to its end and keeps it, then renders it again; so do the shots that follow it', async () => {
    const chain = film('under-way', [
      betaShot('one', { parameters: { ...long, prompt: 'old' } }),
      linkedShot('two', 'one'),
    ]);
    // No task reports its end until the other version has arrived.
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    await start(chain);
    await statusWhen('under-way', ({ shots }) => shots[0]?.takes[0]?.state === 'rendering');
    const changed = film('under-way', [
      betaShot('one', { parameters: { ...long, prompt: 'new' } }),
      linkedShot('two', 'one'),
    ]);
    expect(await revise(changed)).toEqual(['one', 'two']);
    expect((await liveStatusOf(rig, 'under-way')).shots[0]).toMatchObject({ state: 'rendering', filmTake: null });
    rig.sandbox.faults.clear();
    const status = await rig.client.ended('under-way');
    expect(status).toMatchObject({ state: 'completed', shots: [{ filmTake: 2 }, { filmTake: 1 }] });
    expect((await takes('under-way', 'one')).map(({ output }) => output?.asset !== undefined)).toEqual([true, true]);
    expect([submitted('old'), submitted('new')]).toEqual([1, 1]);
    const [one] = status.shots[0]!.takes.filter(({ take }) => take === 2);
    expect(await startFrames('under-way', 'two')).toEqual([`sha256:${one!.lastFrame!.asset.sha256}`]);
  });

  it('adopts differences outside the shots, and renders nothing again', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    const one = film('captions', [betaShot('lost'), betaShot('kept')]);
    // One at a time, so that the fault strikes the first.
    await rig.start(one, { maxInFlight: 1 });
    await statusWhen('captions', ({ shots }) => shots[0]?.state === 'parked' && shots[1]?.state === 'completed');
    const before = accepted();
    const titled = {
      ...film('captions', [
        betaShot('lost'),
        betaShot('kept', { caption: [{ text: 'later', from: 0, to: 1 }], transition: { kind: 'cut' } }),
      ]),
      title: 'Another',
    };
    expect(await revise(titled, { rules: { kept: { deadlineSeconds: 60 } } })).toEqual([]);
    expect(await liveStatusOf(rig, 'captions')).toMatchObject({ title: 'Another', shots: [{ state: 'parked' }, {}] });
    await rig.client.resolve('captions', 'lost', { kind: 'skip' });
    expect(await rig.client.ended('captions')).toMatchObject({
      state: 'completed',
      frozen: await rig.store.putJson(titled),
    });
    expect(accepted()).toBe(before);
  });

  it('while or after the film is assembled: the film is that of the last version, or of a new render', async () => {
    const shots = [betaShot('a'), betaShot('b')];
    takeScissors();
    await start(film('assembled', shots));
    await statusWhen('assembled', ({ assembly }) => assembly === 'running');
    expect(await revise(film('assembled', [betaShot('b')]))).toEqual([]);
    giveScissorsBack();
    const status = await rig.client.ended('assembled');
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed', shots: [{ id: 'b' }] });
    expect(Math.round(status.film!.durationSeconds!)).toBe(4);
    await expect(revise(film('assembled', shots))).rejects.toThrow(/completed|ended/);
    expect(await rig.render(film('assembled', shots))).toMatchObject({ state: 'completed' });
  });

  it('while its end is archived: the production continues', async () => {
    // A folder blocks the path of the status file until it is removed.
    const inTheWay = join(rig.store.folder, 'productions', 'archived', 'status.json');
    await mkdir(join(inTheWay, 'full'), { recursive: true });
    await start(film('archived', [pictureShot('a')]));
    await statusWhen('archived', ({ state }) => state === 'completed');
    expect(await revise(film('archived', [pictureShot('a'), pictureShot('b')]))).toEqual(['b']);
    await rm(inTheWay, { recursive: true });
    expect(await rig.client.ended('archived')).toMatchObject({ state: 'completed', shots: [{ id: 'a' }, { id: 'b' }] });
    expect(await rig.client.productions.archived('archived')).toMatchObject({ shots: [{ id: 'a' }, { id: 'b' }] });
  });

  it('renders shots that a failed one blocked, once that one is fixed', async () => {
    const broken = { model: { id: 'no-such-model', output: 'video' as const } };
    const chain = (changes: object) =>
      film('mended', [betaShot('one', changes), linkedShot('two', 'one'), pictureShot('waits')]);
    await start(chain(broken), { waits: reviewed });
    await statusWhen('mended', ({ shots }) => shots[0]?.state === 'failed' && shots[2]?.state === 'review');
    await revise(chain({}));
    expect(await rig.client.ended('mended')).toMatchObject({ state: 'completed' });
  });

  it('refuses a version that cannot be of this production, or any version during a cancellation', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const one = film('refusing', [pictureShot('a')]);
    await start(one);
    await statusWhen('refusing', ({ shots }) => shots[0]?.state === 'parked');
    const empty = { ...planOf(one), shots: [] };
    await expect(revise(one, { productionId: 'another' })).rejects.toThrow('of the production "another"');
    await expect(revise(one, { plan: empty })).rejects.toThrow('it has no shots');
    await expect(revise(one, { again: ['b'] })).rejects.toThrow('it has no shot "b"');
    await expect(revise(film('refusing', [linkedShot('a', 'b')]))).rejects.toThrow('it has no shot "b"');
    expect(await liveStatusOf(rig, 'refusing')).toMatchObject({ shots: [{ id: 'a', state: 'parked' }] });
    await rig.client.resolve('refusing', 'a', { kind: 'skip' });
    await rig.client.ended('refusing');

    const slow = film('leaving', [betaShot('a', { parameters: { ...long, prompt: 'slow' } })]);
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    await start(slow);
    await statusWhen('leaving', ({ shots }) => shots[0]?.takes[0]?.state === 'rendering');
    await rig.client.cancel('leaving');
    // A version that arrives in the same workflow task as the cancellation is handled before it.
    const refused = () =>
      revise(slow, { again: ['a'] }).then(
        () => undefined,
        (error: unknown) => String(error),
      );
    expect(await until(refused)).toContain('being cancelled');
    rig.sandbox.faults.clear();
    await rig.client.ended('leaving');
  });
});
