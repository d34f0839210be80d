import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest } from '../../contracts/manifest';
import { betaShot } from '../support/rig';
import { until } from '../support/until';
import { startDailies } from './command';
import {
  HEAD,
  shot,
  manifestOf,
  rig,
  place,
  run,
  accepted,
  write,
  plan,
  runAndKill,
  states,
  listed,
  sentFrame,
  lastFrame,
} from './directed-film';

/** Whole films are rendered, on machines that are busy with other tests. */
jest.setTimeout(600_000);

/** In every test the worker is killed right after a decision; another one takes over. */
describe('a film that is directed by command', () => {
  async function chosen(production: string, id: string): Promise<readonly number[]> {
    return (await listed(production, id)).filter((take) => take.chosen).map(({ take }) => take);
  }

  it('renders the shot with a changed prompt and what follows it again, and keeps the rest', async () => {
    const chains = ['a', 'b'];
    const film = (prompt: string): string =>
      HEAD +
      chains
        .flatMap((chain) => [1, 2, 3].map((n) => shot(`${chain}${n}`, n === 1 ? undefined : `${chain}${n - 1}`)))
        .join('')
        .replace('The sea b2.', prompt);
    write('six', film('The sea b2.'));
    const first = manifestOf(await runAndKill(2, 'render', 'six.yaml', '--json'));
    expect(first).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(6);

    write('six', film('A storm.'));
    const planned = await plan('six');
    const renewed = planned.shots.filter(({ newTakes }) => newTakes > 0).map(({ shot: id }) => id);
    expect(renewed).toEqual(['b2', 'b3']);
    expect(planned).toMatchObject({ film: { action: 'anew', because: ['clips'] }, quote: { tasks: 2, unknown: 0 } });
    const second = manifestOf(await runAndKill(1, 'render', 'six.yaml', '--json'));
    expect(accepted()).toBe(8);
    const differing = second.shots.filter(({ id }) => clip(second, id) !== clip(first, id)).map(({ id }) => id);
    expect(differing).toEqual(renewed);
    expect(second.credits.charged - first.credits.charged).toBe(planned.quote.credits);
  });

  it('makes the tail of a rejected take wait for the new take and start on its last frame', async () => {
    const before = accepted();
    write('reviewed', HEAD + shot('one', undefined, ', review: chain') + shot('two', 'one') + shot('three', 'two'));
    const begun = await runAndKill(1, 'render', 'reviewed.yaml', '--json');
    expect(begun.exitCode).toBe(3);
    expect(states(begun)).toEqual(['review', 'pending', 'pending']);
    const command = 'dailies approve reviewed one --take 1 | dailies reject reviewed one [--prompt TEXT]';
    expect(manifestOf(begun).shots[0]?.review).toMatchObject({ takes: [1], command });
    const looked = await run('status', 'reviewed');
    expect(looked.stdout).toMatch(/^ {2}one +waits for your approval: take 1$/m);
    const sheet = readFileSync(join(place.folder, 'out', 'reviewed', 'index.html'), 'utf8');
    for (const way of ['dailies approve reviewed one --take 1', 'dailies reject reviewed one --prompt TEXT']) {
      expect(looked.stderr).toContain(way);
      expect(sheet).toContain(`<code>${way}</code>`);
    }

    expect((await run('approve', 'reviewed', 'one', '--take', '7')).stderr).toContain('no take 7');
    expect(await run('approve', 'reviewed', 'one')).toMatchObject({ exitCode: 0 });
    expect(states(await run('render', 'reviewed.yaml', '--json', '--quiet'))).toEqual([
      'completed',
      'review',
      'pending',
    ]);
    expect(accepted() - before).toBe(2);
    expect((await run('approve', 'reviewed', 'one')).exitCode).toBe(2);

    // Without a terminal there is no yes, and nothing is recorded.
    const unasked = await run('reject', 'reviewed', 'two', '--prompt', 'Calm.');
    expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
    expect((await plan('reviewed')).shots.map(({ directed }) => directed)).toEqual([null, null, null]);
    const rejected = await runAndKill(1, 'reject', 'reviewed', 'two', '--prompt', 'Calm.', '--yes', '--json');
    expect(rejected.stderr).toContain('prompt at reviewed.yaml:');
    expect(states(rejected)).toEqual(['completed', 'review', 'pending']);
    // The rejected take answers an earlier request, and cannot be approved any more.
    expect(manifestOf(rejected).shots[1]?.review).toMatchObject({ takes: [2] });
    expect(await rig.store.ledger.takes('reviewed', 'three')).toEqual([]);
    expect(await listed('reviewed', 'two')).toMatchObject([
      { take: 1, chosen: false },
      { take: 2, chosen: true, approved: false, changes: [{ parameter: 'prompt', to: 'Calm.' }] },
    ]);

    expect((await run('approve', 'reviewed', 'two')).exitCode).toBe(0);
    await runAndKill(1, 'render', 'reviewed.yaml', '--quiet');
    expect(await run('approve', 'reviewed', 'three')).toMatchObject({ exitCode: 0 });
    const done = await run('render', 'reviewed.yaml', '--json', '--quiet');
    expect(states(done)).toEqual(['completed', 'completed', 'completed']);
    expect(accepted() - before).toBe(4);
    expect(await sentFrame('reviewed', 'three', 1)).toBe(await lastFrame('reviewed', 'two', 2));
  });

  it('keeps a retake in later renders until the file changes, and finds its take again if the file asks for the same', async () => {
    const before = accepted();
    const file = HEAD + shot('one') + shot('two', 'one');
    write('lasting', file);
    await run('render', 'lasting.yaml', '--quiet');
    const wrong = await run('retake', 'lasting', 'one', '--set', 'duration=99', '--yes');
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('beta-video takes a whole number') });

    const planned = await run('retake', 'lasting', 'one', '--yes', '--json');
    expect(states(planned)).toEqual(['completed', 'completed']);
    expect(accepted() - before).toBe(4);
    await run('retake', 'lasting', 'two', '--set', 'duration=5', '--yes', '--quiet');
    expect(accepted() - before).toBe(5);
    expect(await plan('lasting')).toMatchObject({
      shots: [
        { action: 'reused', take: 2, directed: [] },
        { action: 'reused', take: 3, directed: [{ parameter: 'duration', from: 4, to: 5 }] },
      ],
      quote: { tasks: 0 },
    });
    await run('render', 'lasting.yaml', '--quiet');
    expect(accepted() - before).toBe(5);

    write('lasting', file.replace('The sea two.', 'The sea two., duration: 5'));
    expect(await plan('lasting')).toMatchObject({ shots: [{}, { action: 'reused', take: 3, directed: [] }] });
    write('lasting', file.replace('The sea two.', 'Fog.'));
    const fog = await plan('lasting');
    expect(fog).toMatchObject({
      lapsed: ['two'],
      shots: [{ action: 'reused' }, { action: 'changed', directed: null }],
    });
  });

  it('lets edit revise a running production with a changed file, which render refuses', async () => {
    const before = accepted();
    const file = HEAD + shot('one', undefined, ', review: true') + shot('two', 'one');
    write('edited', file);
    expect((await run('render', 'edited.yaml', '--quiet')).exitCode).toBe(3);
    expect(await run('edit', 'edited', 'edited.yaml', '--yes')).toMatchObject({ exitCode: 2 });

    write('edited', file.replace('The sea two.', 'Rain.').replace('The sea one.', 'Hail.'));
    const refused = await run('render', 'edited.yaml');
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('dailies edit edited FILE') });
    // A direction for the previous version.
    const direction = { of: 'f'.repeat(64), shot: betaShot('two', { parameters: { prompt: 'Snow.' } }) };
    await rig.store.directing.direct('edited', 'two', direction);
    const edited = await runAndKill(1, 'edit', 'edited', 'edited.yaml', '--yes', '--json');
    expect(edited.stderr).toContain(
      'The directions of these shots no longer fit the file, so they follow the file again: two.',
    );
    expect(states(edited)).toEqual(['review', 'pending']);
    expect(accepted() - before).toBe(2);
    expect((await listed('edited', 'one')).at(-1)).toMatchObject({ take: 2, chosen: true });
    expect((await run('approve', 'edited', 'one')).exitCode).toBe(0);
    const done = await run('render', 'edited.yaml', '--json', '--quiet');
    expect(states(done)).toEqual(['completed', 'completed']);
    expect((await rig.store.ledger.takes('edited', 'two')).map(({ intent }) => intent.parameters['prompt'])).toEqual([
      'Rain.',
    ]);
  });

  it('belongs to the file that it follows, not to one that was refused', async () => {
    const file = HEAD + shot('one', undefined, ', review: true');
    write('named', file);
    expect((await run('render', 'named.yaml', '--quiet')).exitCode).toBe(3);
    write('elsewhere', file.replace('The sea one.', 'Rain.'));
    expect((await run('render', 'elsewhere.yaml', '--id', 'named')).exitCode).toBe(2);
    expect((await run('render', 'named.yaml', '--quiet')).exitCode).toBe(3);
    const edited = await run('edit', 'named', 'elsewhere.yaml', '--yes', '--no-wait');
    expect(edited.stderr).toContain(`\`dailies render ${join(place.folder, 'elsewhere.yaml')} --id named\``);
    expect((await run('render', 'named.yaml')).stderr).toContain('was last rendered from');
    await run('cancel', 'named');
    const left = startDailies(['render', 'elsewhere.yaml', '--id', 'named'], place);
    await until(() => left.stderr().includes('Rendering "named"') && left);
    left.signal('SIGINT');
    expect((await left.ended).stderr).toContain('`dailies render elsewhere.yaml --id named`');
    expect((await run('cancel', 'named')).exitCode).toBe(0);
  });

  it('chooses the other take and back, and pays for the tail of each once', async () => {
    const before = accepted();
    write('pair', HEAD + shot('one', undefined, ', takes: 2') + shot('two', 'one'));
    expect((await plan('pair')).shots).toMatchObject([{ newTakes: 2 }, { newTakes: 1 }]);
    const first = manifestOf(await runAndKill(2, 'render', 'pair.yaml', '--json'));
    expect(first).toMatchObject({ state: 'completed', shots: [{ takes: [{}, {}] }, { takes: [{}] }] });
    expect(accepted() - before).toBe(3);
    const [stood = 0] = await chosen('pair', 'one');
    const other = stood === 1 ? 2 : 1;

    const unasked = await run('choose', 'pair', 'one', String(other));
    expect(unasked.stderr).toMatch(/two +stale through one +\d+ credits/);
    expect(unasked.exitCode).toBe(2);
    expect(await chosen('pair', 'one')).toEqual([stood]);
    const second = manifestOf(await runAndKill(1, 'choose', 'pair', 'one', String(other), '--yes', '--json'));
    expect(second).toMatchObject({ state: 'completed', shots: [{ filmTake: other }, { filmTake: 2 }] });
    expect(await sentFrame('pair', 'two', 2)).toBe(await lastFrame('pair', 'one', other));
    expect(accepted() - before).toBe(4);

    // Free, so there is no question.
    const back = manifestOf(await run('choose', 'pair', 'one', String(stood), '--json'));
    expect(back).toMatchObject({ state: 'completed', shots: [{ filmTake: stood }, { filmTake: 1 }] });
    expect(back.credits).toEqual(second.credits);
    expect(accepted() - before).toBe(4);
    expect(back.film?.sha256).toBe(first.film?.sha256);
    expect((await plan('pair')).quote.tasks).toBe(0);
  });
});

function clip({ shots }: Manifest, id: string): string | undefined {
  const found = shots.find((one) => one.id === id);
  return found?.takes.find(({ take }) => take === found.filmTake)?.asset?.sha256;
}
