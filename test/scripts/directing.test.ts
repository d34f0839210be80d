import {
  HEAD,
  shot,
  manifestOf,
  run,
  accepted,
  write,
  plan,
  runAndKill,
  listed,
  sentFrame,
  lastFrame,
} from './directed-film';

/** Whole films are rendered, on machines that are busy with other tests. */
jest.setTimeout(600_000);

/** Every test has its worker killed where a decision has just been made; another one takes over. */
describe('a film that is directed by command', () => {
  async function chosen(production: string, id: string): Promise<readonly number[]> {
    return (await listed(production, id)).filter((take) => take.chosen).map(({ take }) => take);
  }

  it('goes to the other take and back, and pays for the tail of each once', async () => {
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

    // Free, so nobody is asked.
    const back = manifestOf(await run('choose', 'pair', 'one', String(stood), '--json'));
    expect(back).toMatchObject({ state: 'completed', shots: [{ filmTake: stood }, { filmTake: 1 }] });
    expect(back.credits).toEqual(second.credits);
    expect(accepted() - before).toBe(4);
    expect(back.film?.sha256).toBe(first.film?.sha256);
    expect((await plan('pair')).quote.tasks).toBe(0);
  });
});
