import { HEAD, listed, run, shot, states, write } from './directed-film';

describe('a film that is directed by command', () => {
  it('reviews nothing where nobody attends, and asks no later render about it', async () => {
    write('unattended', HEAD + shot('one', undefined, ', review: true'));
    const done = await run('render', 'unattended.yaml', '--yes', '--json', '--quiet');
    expect(states(done)).toEqual(['completed']);
    expect(await listed('unattended', 'one')).toMatchObject([{ chosen: true, approved: true }]);
    expect((await run('render', 'unattended.yaml', '--quiet')).exitCode).toBe(0);
  });
});
