import { accepted, HEAD, listed, plan, run, shot, states, write } from './directed-film';

describe('a film that is directed by command', () => {
  it('reviews nothing in an unattended render, nor its takes in a later render', async () => {
    write('unattended', HEAD + shot('one', undefined, ', review: true'));
    const done = await run('render', 'unattended.yaml', '--yes', '--json', '--quiet');
    expect(states(done)).toEqual(['completed']);
    expect(await listed('unattended', 'one')).toMatchObject([{ chosen: true, approved: true }]);
    expect((await run('render', 'unattended.yaml', '--quiet')).exitCode).toBe(0);
  });

  it('can be rendered from its file after a retake, also of a shot with a caption', async () => {
    write('captioned', HEAD + shot('one', undefined, ', caption: The sea, review: true'));
    await run('render', 'captioned.yaml', '--yes', '--quiet');
    const before = accepted();
    expect((await run('retake', 'captioned', 'one', '--yes', '--no-wait')).exitCode).toBe(0);
    const joined = await run('render', 'captioned.yaml', '--quiet', '--json');
    expect(joined).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('Attached to') });
    expect(states(joined)).toEqual(['review']);
    expect(accepted()).toBe(before + 1);
    expect((await plan('captioned')).joins).toBe(true);
  });
});
